#include "sql/operators/context/first_of_groups.h"

#include <algorithm>

#include "sql/expression/bind_expression.h"
#include "sql/keys/parted_rows.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/context/first_candidates.h"
#include "sql/operators/context/spilled_context.h"
#include "sql/operators/select_rows.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

namespace {

bool readOwnRow(const std::vector<OutputItem>& items, const MemoryTable& rows, Context& context) {
    return std::all_of(items.begin(), items.end(), [&](const OutputItem& item) {
        return item.names.size() <= 1 && bindProgram(item.value, rows.columns(), context).isElementwise();
    });
}

}  // namespace

Ref<MemoryTable> firstOfGroups(const SelectPlan& plan, const MemoryTable& rows, int64_t limit, Context& context) {
    if (plan.query->having || !readOwnRow(plan.items, rows, context)) return nullptr;
    const std::vector<OrderKey> order = orderKeys(plan.query->csort, rows, context);
    if (readOwnRow(plan.keys, rows, context)) {
        // Each call has fewer rows, so that this ends.
        if (const auto near = firstCandidates(plan.keys, rows, order, limit, context))
            return firstOfGroups(plan, *rows.gather(near->data(), static_cast<int64_t>(near->size())), limit, context);
    }
    const PartedRows groups(keysOfRows(plan.keys, rows, context), order, rows.rowCount(),
                            PartedRows::GroupOrder::ByKey);
    const std::vector<int32_t> list = groups.list(), begin = groups.groupBegin();
    std::vector<int32_t> kept;
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        const int64_t count = std::min<int64_t>(std::abs(limit), begin[g + 1] - begin[g]);
        const auto from = list.begin() + (limit < 0 ? begin[g + 1] - count : begin[g]);
        kept.insert(kept.end(), from, from + count);
    }
    if (keepsTableOrder(*plan.query)) std::sort(kept.begin(), kept.end());
    const auto count = static_cast<int64_t>(kept.size());
    const Ref<MemoryTable> first = rows.gather(kept.data(), count);
    auto result = makeRef<MemoryTable>();
    for (const OutputItem& item : plan.items) {
        const ExpressionProgram e = bindProgram(item.value, first->columns(), context);
        addOutput(*result, item, e.evaluate(context, *first), count);
    }
    return result;
}

}  // namespace pelorus
