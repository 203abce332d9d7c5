#include "sql/operators/window/spilled_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>

#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/memory/broker.h"
#include "sql/bind/query_form.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/aggregate/by_key.h"
#include "sql/operators/scan/scan_columns.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/bound_window.h"
#include "sql/operators/window/window_stream.h"
#include "sql/plan/row_source.h"
#include "sql/plan/select_plan.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/placed_rows.h"
#include "sql/spill/sorted_runs.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

namespace {

constexpr const char* kRow = " row";

using SelectRows = std::function<Ref<MemoryTable>(const Query& query, const Ref<MemoryTable>& rows)>;

// Windows that are computed together, and the columns with their results.
struct WindowGroup {
    std::vector<const Window*> windows;
    std::vector<std::string> names;
};

// Whether windows are computed together: they have the same keys of their partitions; or one order of the one
// partition, and are both read in ranges, or both whole.
bool areTogether(const Window& a, const Window& b, Context& context) {
    if (!a.partitionBy.empty() || !b.partitionBy.empty()) return isSameCode(a.partitionBy, b.partitionBy);
    const auto isBounded = [&](const Window& window) { return reachOf(bindWindow(window, context)).has_value(); };
    return isBounded(a) == isBounded(b) && isSameCode(a.orderBy, b.orderBy);
}

// Replaces each window of the query by a name, and groups the windows.
Ref<Query> withoutWindows(const Query& query, Context& context, std::vector<WindowGroup>& groups) {
    Ref<Query> result = copyQuery(query);
    int number = 0;
    for (SelectItem& item : result->items) {
        nameWindow(item);
        item.value = rewrite(item.value, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Window) return NodeRef();
            const auto& window = static_cast<const Window&>(*n);
            auto group = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto& g) { return areTogether(*g.windows[0], window, context); });
            if (group == groups.end()) group = groups.insert(groups.end(), WindowGroup{});
            group->windows.push_back(&window);
            group->names.push_back(fmt::format(" window{}", number++));
            return makeRef<Name>(group->names.back(), n->position);
        });
    }
    return result;
}

// The source with its filter, which is read several times.
class FilteredSource {
public:
    FilteredSource(const SelectPlan& plan, Context& context)
        : source_(plan.source), context_(context), filter_(plan.filters, plan.source.columns(), context) {}

    const TableSchema& columns() const { return source_.columns(); }
    std::vector<Morsel> morsels() { return morselsOf(source_, filter_.constraints()); }
    Filter& filter() { return filter_; }

    // Returns the columns that the code names; the first one where it names none.
    std::vector<int> columnsOf(const NodeList& nodes) const {
        std::vector<int> used;
        bool all = false;
        for (const NodeRef& node : nodes) {
            forEachName(*node, [&](const Name& n) {
                if (const int c = source_.table->findColumn(n.name); c >= 0) used.push_back(c);
            });
            rewrite(node, [&](const NodeRef& n) -> NodeRef {
                all = all || n->kind == NodeKind::Star;
                return NodeRef();
            });
        }
        if (all) {
            used.resize(columns().size());
            std::iota(used.begin(), used.end(), 0);
        }
        if (used.empty()) used.push_back(0);
        std::sort(used.begin(), used.end());
        used.erase(std::unique(used.begin(), used.end()), used.end());
        return used;
    }
    Ref<MemoryTable> rows(const std::vector<int>& columns) {
        return scanColumns(source_, filter_, columns, context_)->copy();
    }
    // Spills rows with their numbers, which rise with the table.
    SpilledParts parts(const RowCut& cut, const std::vector<int>& columns) {
        return SpilledParts(*spillFolderOf(context_), this->columns(), cut, columns, true, morsels(), filter_,
                            context_);
    }

private:
    const RowSource& source_;
    Context& context_;
    Filter filter_;
};

NodeList codeOf(const WindowGroup& group) {
    NodeList code;
    for (const Window* window : group.windows) {
        code.push_back(window->call);
        code.insert(code.end(), window->partitionBy.begin(), window->partitionBy.end());
        for (const OrderItem& item : window->orderBy) code.push_back(item.value);
    }
    return code;
}

// Makes a query of only the windows of a group.
Ref<Query> queryOf(const Query& query, const WindowGroup& group) {
    Ref<Query> own = copyQuery(query);
    own->distinct = false;
    own->orderBy.clear();
    own->top = own->limit = own->offset = NodeRef();
    own->items.clear();
    for (size_t w = 0; w < group.windows.size(); ++w)
        own->items.push_back({NodeRef(const_cast<Window*>(group.windows[w])), {group.names[w]}, {}});
    return own;
}

Ref<MemoryTable> byKeys(const Query& query, const WindowGroup& group, FilteredSource& source, Context& context,
                        const SelectRows& select) {
    std::vector<ExpressionProgram> keys;
    for (const NodeRef& key : group.windows[0]->partitionBy)
        keys.push_back(bindProgram(key, source.columns(), context));
    const SpilledParts parts = source.parts(cutByKeys(keys), source.columnsOf(codeOf(group)));
    const Ref<Query> own = queryOf(query, group);
    own->items.push_back({makeRef<Name>(kRow, query.position), {kRow}, {}});
    PlacedRows placed(parts.rowCount());
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        const Ref<MemoryTable> rows = parts.rows(p);
        // Only the columns of an empty part matter, and only when all parts are empty.
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || parts.rowCount() > 0)) continue;
        const Ref<MemoryTable> values = select(*own, rows);
        const Value numbers = *values->column(kRow);
        values->dropColumn(values->columnCount() - 1);
        if (!placed.add(*values, numbers)) return nullptr;  // lists in the cells
    }
    return placed.finish();
}

// Sorts all rows by the order of a window, those with equal keys in table order.
void sortAll(const WindowGroup& group, FilteredSource& source, SortedRuns& runs, Context& context) {
    // Any partitioning will do: the numbers of the rows are the last key.
    std::atomic<size_t> next{0};
    const RowCut cut = [&](Batch& rows, Context&, uint8_t* parts) {
        std::fill_n(parts, rows.rows(), static_cast<uint8_t>(next++ % SpilledParts::kCount));
    };
    const SpilledParts parts = source.parts(cut, source.columnsOf(codeOf(group)));
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        context.checkCancelled();
        const Ref<MemoryTable> rows = parts.rows(p);
        if (rows->rowCount() == 0 && (p + 1 < SpilledParts::kCount || !runs.isEmpty())) continue;
        std::vector<OrderKey> keys = orderKeys(group.windows[0]->orderBy, *rows, context);
        keys.push_back({*rows->column(kRow)});
        for (size_t k = 0; k < keys.size(); ++k) rows->setColumn(fmt::format(" key{}", k), keys[k].column);
        const std::vector<int32_t> order = sortPositions(keys, rows->rowCount());
        runs.add(*rows->gather(order.data(), rows->rowCount()));
    }
}

// Computes the windows of a group over `rows` rows, which `feed` passes in order.
Ref<MemoryTable> streamed(const WindowGroup& group, int64_t rows, Context& context,
                          const std::function<void(WindowStream& stream)>& feed) {
    PlacedRows placed(rows);
    bool isPlaced = true;
    const auto take = [&](const MemoryTable& values) {
        const Ref<MemoryTable> own = values.copy();
        own->dropColumn(0);
        isPlaced = isPlaced && placed.add(*own, values.column(0));
    };
    WindowStream stream(group.windows, kRow, rows, take, context);
    feed(stream);
    stream.finish();
    return isPlaced && rows > 0 ? placed.finish() : nullptr;
}

// Returns ranges of the keys of an order; nothing where they do not follow each other as the rows shall.
std::optional<KeyRanges> rangesOf(const std::vector<OrderItem>& order, const std::vector<ExpressionProgram>& keys,
                                  FilteredSource& source, Context& context) {
    constexpr size_t kSampledBlocks = 64;
    const std::vector<Morsel> morsels = source.morsels();
    const bool isAlike = std::all_of(order.begin(), order.end(), [&](const OrderItem& item) {
        return item.ascending == order[0].ascending && (!item.nullsGiven || item.nullsFirst == item.ascending);
    });
    if (order.empty() || !isAlike || morsels.empty()) return std::nullopt;
    return keyRangesOf(morsels, keys, source.filter(), context, std::min(kSampledBlocks, morsels.size()));
}

// Computes the windows over parts of the rows that follow each other in the order, each sorted by itself.
Ref<MemoryTable> byRanges(const WindowGroup& group, const std::vector<ExpressionProgram>& keys, const KeyRanges& ranges,
                          FilteredSource& source, Context& context) {
    const RowCut cut = [&](Batch& rows, Context& own, uint8_t* parts) {
        std::vector<Value> values;
        for (const ExpressionProgram& key : keys) values.push_back(rows.evaluate(key, own));
        ranges.find(values, rows.rows(), parts);
    };
    const SpilledParts parts = source.parts(cut, source.columnsOf(codeOf(group)));
    const std::vector<OrderItem>& order = group.windows[0]->orderBy;
    return streamed(group, parts.rowCount(), context, [&](WindowStream& stream) {
        for (size_t p = 0; p < SpilledParts::kCount; ++p) {
            context.checkCancelled();
            const Ref<MemoryTable> rows = parts.rows(order[0].ascending ? p : SpilledParts::kCount - 1 - p);
            if (rows->rowCount() == 0) continue;
            std::vector<OrderKey> all = orderKeys(order, *rows, context);
            all.push_back({*rows->column(kRow)});
            const std::vector<int32_t> sorted = sortPositions(all, rows->rowCount());
            stream.add(*rows->gather(sorted.data(), rows->rowCount()));
        }
    });
}

Ref<MemoryTable> byOrder(const WindowGroup& group, FilteredSource& source, Context& context) {
    const TableSchema& columns = source.columns();
    std::vector<ExpressionProgram> programs;
    std::vector<OrderKey> keys;
    if (group.windows[0]->orderBy.empty()) return nullptr;  // the rows come in their order
    for (const OrderItem& item : group.windows[0]->orderBy) {
        programs.push_back(bindProgram(item.value, columns, context));
        if (!programs.back().isElementwise() || programs.back().isConstant()) return nullptr;
        keys.push_back({Value(), item.ascending, item.nullsGiven, item.nullsFirst});
    }
    if (const auto ranges = rangesOf(group.windows[0]->orderBy, programs, source, context))
        return byRanges(group, programs, *ranges, source, context);
    keys.emplace_back();
    SortedRuns sorted(*spillFolderOf(context), keys);
    sortAll(group, source, sorted, context);
    return streamed(group, sorted.rowCount(), context,
                    [&](WindowStream& stream) { sorted.merge([&](const MemoryTable& rows) { stream.add(rows); }); });
}

bool canBeCut(const WindowGroup& group, const TableSchema& columns, Context& context) {
    const NodeList& keys = group.windows[0]->partitionBy;
    return !keys.empty() && std::all_of(keys.begin(), keys.end(), [&](const NodeRef& key) {
        const ExpressionProgram e = bindProgram(key, columns, context);
        return e.isElementwise() && !e.isConstant();
    });
}

}  // namespace

Ref<MemoryTable> selectWindowsInParts(const SelectPlan& plan, Context& context, const SelectRows& select) {
    const Query& query = *plan.query;
    const TableSchema& columns = plan.source.columns();
    if (!spillFolderOf(context) || !plan.source.partitioned() || needsOtherNodes(plan.source, context)) return nullptr;
    if (query.grouping != GroupKind::None || !plan.laterFilters.empty() || !SpilledParts::canHold(columns))
        return nullptr;
    FilteredSource source(plan, context);
    int64_t rowCount = 0;
    for (const Morsel& m : source.morsels()) {
        for (int b = m.firstBlock; b < m.endBlock; ++b) rowCount += m.reader->blockRows(b);
    }
    // Memory for the rows, their copies group by group, and the result of each window.
    const auto items = static_cast<int64_t>(plan.items.size());
    if (rowCount * (2 * estimatedRowBytes(columns) + 24 * items + 24) <= memory::availableBytes()) return nullptr;

    std::vector<WindowGroup> groups;
    const Ref<Query> rest = withoutWindows(query, context, groups);
    std::vector<std::pair<std::string, Value>> given;
    for (const WindowGroup& group : groups) {
        Ref<MemoryTable> values;
        if (canBeCut(group, columns, context)) values = byKeys(query, group, source, context, select);
        if (group.windows[0]->partitionBy.empty()) values = byOrder(group, source, context);
        if (!values) values = select(*queryOf(query, group), source.rows(source.columnsOf(codeOf(group))));
        for (size_t w = 0; w < group.names.size(); ++w)
            given.emplace_back(group.names[w], values->column(static_cast<int>(w)));
    }
    NodeList read;
    for (const SelectItem& item : rest->items) read.push_back(item.value);
    for (const OrderItem& item : rest->orderBy) read.push_back(item.value);
    const Ref<MemoryTable> rows = source.rows(source.columnsOf(read));
    for (auto& [name, values] : given) rows->setColumn(name, std::move(values));
    return select(*rest, rows);
}

}  // namespace pelorus
