// context by: as many rows out as in, computed group by group.
#include "sql/operators/context/select_context.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/context/select_context_slices.h"
#include "sql/operators/context/spilled_context.h"
#include "sql/operators/row_concatenation.h"
#include "sql/operators/select_rows.h"

namespace pelorus {

Value rowsOfGroup(const Value& v, int64_t rows) {
    if (v.isVector() && v.size() == rows) return v;
    // An indexed series is a column.
    if (v.isMatrix() && v.matrix().columns == 1 && v.matrix().rows == rows) return Value::of(v.matrix().cells);
    if (v.isScalar()) {
        if (storageOf(v.type()) == Storage::Boxed)
            return Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), v)));
        return Value::of(Vector::filled(v.type(), rows, v));
    }
    throw UserError(
        fmt::format("An expression of a query with context by must return one value, or one per row of the group, but "
                    "it returns {}.",
                    typeString(v)));
}

std::vector<int32_t> csorted(const Query& query, const MemoryTable& group, Context& context) {
    return sortPositions(orderKeys(query.csort, group, context), group.rowCount());
}

Ref<MemoryTable> selectContext(const SelectPlan& plan, Context& context) {
    if (Ref<MemoryTable> result = selectContextInParts(plan, context, selectContext)) return result;
    Ref<MemoryTable> rows = filteredRows(plan, context);
    if (Ref<MemoryTable> result = selectContextBySlices(plan, rows, context)) return result;
    RowGroups groups = groupRows(plan.keys, *rows, context);
    NodeRef limitNode = plan.query->limit ? plan.query->limit : plan.query->top;
    bool limited = static_cast<bool>(limitNode);
    int64_t limit = limited ? groupLimit(limitNode, context) : 0;
    std::vector<ExpressionProgram> items;
    for (const OutputItem& item : plan.items) items.push_back(bindProgram(item.value, rows->columns(), context));
    RowConcatenation stacked;
    const bool tableOrder = keepsTableOrder(*plan.query);
    std::vector<int32_t> places;
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks,
                           static_cast<int64_t>(groups.rows.size()));
    for (const std::vector<int32_t>& positions : groups.rows) {
        context.checkCancelled();
        progress.add(1);
        Ref<MemoryTable> group = rows->gather(positions.data(), static_cast<int64_t>(positions.size()));
        if (!plan.query->csort.empty()) {
            std::vector<int32_t> order = csorted(*plan.query, *group, context);
            group = group->gather(order.data(), static_cast<int64_t>(order.size()));
        }
        std::vector<int32_t> kept = positions;
        auto out = makeRef<MemoryTable>();
        for (size_t i = 0; i < items.size(); ++i) {
            Value v = items[i].evaluate(context, *group);
            if (plan.items[i].names.size() == 1) v = rowsOfGroup(v, group->rowCount());
            addOutput(*out, plan.items[i], v, group->rowCount());
        }
        if (plan.query->having) {
            const ExpressionProgram e = bindProgram(plan.query->having, rows->columns(), context);
            Value mask = e.evaluate(context, *group);
            if (mask.isScalar()) {
                if (!isTrue(mask)) continue;
            } else {
                std::vector<int32_t> passing = rowsWhere(mask, group->rowCount(), "having");
                out = out->gather(passing.data(), static_cast<int64_t>(passing.size()));
                for (int32_t& r : passing) r = positions[static_cast<size_t>(r)];
                kept = std::move(passing);
            }
        }
        int64_t n = out->rowCount();
        if (limited && std::abs(limit) < n) {
            const int64_t begin = limit >= 0 ? 0 : n + limit;
            out = out->slice(begin, std::abs(limit));
            if (static_cast<int64_t>(kept.size()) == n) {
                kept = {kept.begin() + begin, kept.begin() + begin + std::abs(limit)};
            }
        }
        places.insert(places.end(), kept.begin(), kept.end());
        stacked.add(*out);
    }
    Ref<MemoryTable> result = stacked.finish();
    if (result && tableOrder && static_cast<int64_t>(places.size()) == result->rowCount()) {
        const std::vector<OrderKey> byPlace = {{Value::of(Vector::of(Type::Int, places))}};
        const std::vector<int32_t> order = sortPositions(byPlace, result->rowCount());
        return result->gather(order.data(), static_cast<int64_t>(order.size()));
    }
    if (result) return result;
    // No groups: the columns with no rows.
    auto empty = makeRef<MemoryTable>();
    Ref<MemoryTable> noRows = rows->slice(0, 0);
    for (size_t i = 0; i < items.size(); ++i) {
        addOutput(*empty, plan.items[i], items[i].evaluate(context, *noRows), 0);
    }
    return empty;
}

}  // namespace pelorus
