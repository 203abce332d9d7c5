#include "sql/spilled_windows.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "runtime/code/rewrite.h"
#include "runtime/code/to_source.h"
#include "sql/external_sort.h"
#include "sql/partial_query.h"
#include "sql/spilled_parts.h"

namespace pelorus {

namespace {

constexpr const char* kRow = " row";

// What stands after `partition by`, when it is the same in all windows; nothing otherwise.
NodeList commonKeys(const Query& query) {
    NodeList keys;
    std::set<std::string> spellings;
    for (const SelectItem& item : query.items) {
        rewrite(item.value, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Window) return NodeRef();
            keys = static_cast<const Window&>(*n).partitionBy;
            std::string spelling;
            for (const NodeRef& key : keys) spelling += toSource(*key) + "\n";
            spellings.insert(spelling);
            return n;
        });
    }
    return spellings.size() == 1 ? keys : NodeList();
}

// Whether what is left to do after the windows, on all rows at once, reads columns of the result only.
bool canFinish(const Query& query, const MemoryTable& shown) {
    return std::all_of(query.orderBy.begin(), query.orderBy.end(), [&](const OrderItem& item) {
        return item.value->kind == NodeKind::Name && shown.findColumn(static_cast<const Name&>(*item.value).name) >= 0;
    });
}

Ref<Query> queryOfPart(const Query& query) {
    Ref<Query> part = copyQuery(query);
    part->distinct = false;
    part->orderBy.clear();
    part->top = part->limit = part->offset = NodeRef();
    part->items.push_back({makeRef<Name>(kRow, query.position), {kRow}, {}});
    return part;
}

// The query's order and limits over the rows of all parts.
Ref<Query> queryOfAll(const Query& query, const MemoryTable& shown) {
    Ref<Query> all = copyQuery(query);
    all->items.clear();
    for (const ColumnSchema& c : shown.columns()) {
        all->items.push_back({makeRef<Name>(c.name, query.position), {c.name}, {}});
    }
    return all;
}

}  // namespace

Ref<MemoryTable> selectWindowsInParts(
    const SelectPlan& plan, Context& context,
    const std::function<Ref<MemoryTable>(const Query& query, const Ref<MemoryTable>& rows)>& select) {
    const SpillFolder* folder = spillFolderOf(context);
    const Query& query = *plan.query;
    const TableSchema& columns = plan.source.columns();
    if (!folder || !plan.source.partitioned || needsOtherNodes(plan.source, context)) return nullptr;
    if (!plan.laterFilters.empty() || !SpilledParts::canHold(columns)) return nullptr;
    std::vector<ColumnExpression> keys;
    for (const NodeRef& key : commonKeys(query)) {
        keys.emplace_back(key, columns, context);
        if (!keys.back().isElementwise() || keys.back().isConstant()) return nullptr;
    }
    if (keys.empty()) return nullptr;
    Filter filter(plan.filters, columns, context);
    const std::vector<Morsel> morsels = morselsOf(plan.source, filter.constraints());
    int64_t rowCount = 0;
    for (const Morsel& m : morsels) {
        for (int b = m.firstBlock; b < m.endBlock; ++b) rowCount += m.reader->blockRows(b);
    }
    // The rows, their copies group by group, and what each window gives.
    const auto items = static_cast<int64_t>(plan.items.size());
    if (rowCount * (2 * estimatedRowBytes(columns) + 24 * items + 24) <= roomBytes()) return nullptr;

    std::vector<int> all(columns.size());
    std::iota(all.begin(), all.end(), 0);
    const SpilledParts parts(*folder, columns, cutByKeys(keys), std::move(all), true, morsels, filter, context);
    const Ref<Query> partQuery = queryOfPart(query);
    SortedRuns runs(*folder, {OrderKey{}});
    Ref<MemoryTable> last;
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        const Ref<MemoryTable> rows = parts.rows(p);
        const int64_t count = rows->rowCount();
        // Of an empty one only the columns matter, when all are.
        if (count == 0 && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        last = select(*partQuery, rows);
        if (last->rowCount() != count || !SpillFile::canHold(*last) || !canFinish(query, *last)) return nullptr;
        runs.add(*last);
    }
    last = nullptr;
    const Ref<MemoryTable> merged = runs.merged();
    return select(*queryOfAll(query, *merged), merged);
}

}  // namespace pelorus
