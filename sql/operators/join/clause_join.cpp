#include "sql/operators/join/clause_join.h"

#include <vector>

#include "runtime/kernel/index/row_selection.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/join/cross_join.h"
#include "sql/operators/join/spilled_join.h"
#include "sql/operators/scan/materialise.h"

namespace pelorus {

namespace {

// Returns which rows of a table satisfy all the conditions; empty when there are no conditions.
std::vector<char> maskOf(const NodeList& conditions, const MemoryTable& table, Context& context) {
    std::vector<char> mask;
    for (const NodeRef& condition : conditions) {
        const bool isFirst = mask.empty();
        mask.resize(static_cast<size_t>(table.rowCount()));
        const ExpressionProgram e = bindProgram(condition, table.columns(), context);
        std::vector<char> both(mask.size());
        for (int32_t r : rowsWhere(e.evaluate(context, table), table.rowCount(), "on"))
            both[static_cast<size_t>(r)] = isFirst || mask[static_cast<size_t>(r)];
        mask = std::move(both);
    }
    return mask;
}

}  // namespace

Ref<Table> joinByClause(const Value& left, const Value& right, JoinKind kind, const JoinCondition* condition,
                        const JoinedColumns& shown, Context& context) {
    if (condition == nullptr)
        return Ref<Table>(makeRef<CrossJoin>(materialise(left, context), materialise(right, context), shown));
    const auto joined = [&](const Ref<MemoryTable>& l, const Ref<MemoryTable>& r) {
        return Ref<Table>(
            equiJoin(l, r, condition->keys, kind, shown,
                     {maskOf(condition->leftFilters, *l, context), maskOf(condition->rightFilters, *r, context)}));
    };
    if (Ref<MemoryTable> rows = joinInParts(left, right, condition->keys, orderOf(kind), joined, context))
        return Ref<Table>(std::move(rows));
    return joined(materialise(left, context), materialise(right, context));
}

}  // namespace pelorus
