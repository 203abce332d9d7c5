#include "sql/operators/context/first_of_groups.h"

#include <algorithm>

#include "common/thread/thread_pool.h"
#include "runtime/kernel/index/index.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/context/first_candidates.h"
#include "sql/operators/context/group_columns.h"
#include "sql/operators/context/spilled_context.h"
#include "sql/operators/select_rows.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

namespace {

// Returns the first `count` rows, in the order, of those that `list` names.
std::vector<int32_t> firstOf(const std::vector<OrderKey>& order, const int32_t* list, int64_t rows, int64_t count) {
    std::vector<OrderKey> keys = order;
    for (OrderKey& key : keys) key.column = gatherElements(key.column, list, rows);
    std::vector<int32_t> first = firstPositions(keys, rows, std::min(count, rows));
    for (int32_t& position : first) position = list[position];
    return first;
}

// The last rows in an order are the first in the reverse one: among equals the later one.
std::vector<int32_t> lastOf(std::vector<OrderKey> order, const int32_t* list, int64_t rows, int64_t count) {
    for (OrderKey& key : order) {
        key.ascending = !key.ascending;
        key.nullsFirst = !key.nullsFirst;
    }
    std::vector<int32_t> reversed(list, list + rows);
    std::reverse(reversed.begin(), reversed.end());
    std::vector<int32_t> last = firstOf(order, reversed.data(), rows, count);
    std::reverse(last.begin(), last.end());
    return last;
}

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
    const FlatRowGroups groups = groupRowsFlat(plan.keys, rows, {}, context);
    const std::vector<int32_t> list = groups.rows();
    const std::vector<GroupPiece> pieces = groupPieces(groups.begin);
    std::vector<std::vector<int32_t>> chosen(pieces.size());
    parallelFor(static_cast<int64_t>(pieces.size()), [&](int64_t number) {
        context.checkCancelled();
        const GroupPiece piece = pieces[static_cast<size_t>(number)];
        for (size_t g = piece.firstGroup; g < piece.endGroup; ++g) {
            const int32_t* group = list.data() + groups.begin[g];
            const int64_t count = groups.begin[g + 1] - groups.begin[g];
            const std::vector<int32_t> of =
                limit < 0 ? lastOf(order, group, count, -limit) : firstOf(order, group, count, limit);
            auto& to = chosen[static_cast<size_t>(number)];
            to.insert(to.end(), of.begin(), of.end());
        }
    });
    std::vector<int32_t> kept;
    for (const std::vector<int32_t>& of : chosen) kept.insert(kept.end(), of.begin(), of.end());
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
