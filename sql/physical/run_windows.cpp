#include "sql/physical/run_windows.h"

#include <algorithm>
#include <numeric>

#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/table/column_lookup.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/window/context_rows.h"
#include "sql/operators/window/roll_rows.h"
#include "sql/operators/window/streamed_windows.h"
#include "sql/operators/window/window_operator.h"
#include "sql/operators/window/windows_in_parts.h"
#include "sql/physical/run_select.h"

namespace pelorus {

namespace {

// Estimates the memory of a row while it is processed: it, its position, the row gathered by group, and the result. An
// order sorts words of its keys.
int64_t neededBytes(const TableSchema& read, size_t items, bool isSorted) {
    return 2 * estimatedRowBytes(read) + 12 * static_cast<int64_t>(items) + 16 + (isSorted ? 48 : 0);
}

// Computes the groups of a node in parts; null where its rows fit in memory, or cannot be cut.
template <class Node>
Ref<MemoryTable> runInParts(const Node& node, const RowSource& source, PartsOrder order, const GroupsOfPart& compute,
                            Context& context) {
    if (node.input->kind != PlanNode::Kind::Scan) return nullptr;
    const auto& scan = static_cast<const ScanNode&>(*node.input);
    if (scan.isGiven || !canSpill(source, *scan.columns, context)) return nullptr;
    std::vector<ExpressionProgram> keys;
    for (const BoundItem& key : node.partitionBy)
        keys.push_back(bindProgram(key.written.value, source.columns(), context));
    if (!areKeysOfParts(keys)) return nullptr;
    SpillableSource rows(source, scan.conditions, context);
    const TableSchema read = columnsOf(source, *scan.columns);
    if (!rows.exceedsMemory(neededBytes(read, node.items.size(), !node.orderBy.empty()))) return nullptr;
    return computedInParts(rows, keys, *scan.columns, order, compute, context);
}

using Columns = std::vector<OverNode::Column>;

// Whether windows are computed together where their rows are on disk: they have the same keys of their partitions; or
// one order of the one partition, and are both read in ranges, or both whole.
bool areTogether(const Window& a, const Window& b, Context& context) {
    if (!a.partitionBy.empty() || !b.partitionBy.empty()) return isSameCode(a.partitionBy, b.partitionBy);
    const auto isBounded = [&](const Window& window) { return reachOf(bindWindow(window, context)).has_value(); };
    return isBounded(a) == isBounded(b) && isSameCode(a.orderBy, b.orderBy);
}

std::vector<Columns> columnsTogether(const Columns& windows, Context& context) {
    std::vector<Columns> together;
    for (const OverNode::Column& column : windows) {
        const auto known = std::find_if(together.begin(), together.end(), [&](const Columns& others) {
            return areTogether(*others[0].window, *column.window, context);
        });
        if (known != together.end()) {
            known->push_back(column);
        } else {
            together.push_back({column});
        }
    }
    return together;
}

// Returns the numbers of the columns that the code names, in ascending order; the first one where it names none.
std::vector<int> columnsReadBy(const NodeList& nodes, const TableSchema& columns) {
    std::vector<int> used;
    bool all = false;
    for (const NodeRef& node : nodes) {
        forEachName(*node, [&](const Name& n) {
            if (const int c = findColumn(columns, n.name); c >= 0) used.push_back(c);
        });
        rewrite(node, [&](const NodeRef& n) -> NodeRef {
            all = all || n->kind == NodeKind::Star;
            return NodeRef();
        });
    }
    if (all) {
        used.resize(columns.size());
        std::iota(used.begin(), used.end(), 0);
    }
    if (used.empty()) used.push_back(0);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

NodeList codeOf(const Columns& windows) {
    NodeList code;
    for (const OverNode::Column& column : windows) {
        code.push_back(column.window->call);
        code.insert(code.end(), column.window->partitionBy.begin(), column.window->partitionBy.end());
        for (const OrderItem& item : column.window->orderBy) code.push_back(item.value);
    }
    return code;
}

// Returns the columns of windows over rows, without those of the rows.
Ref<MemoryTable> windowColumns(const Columns& windows, const MemoryTable& rows, Context& context) {
    const Ref<MemoryTable> all = rows.copy();
    addWindowColumns(windows, *all, context);
    auto own = makeRef<MemoryTable>();
    for (const OverNode::Column& column : windows) own->setColumn(column.name, *all->column(column.name));
    return own;
}

// Computes windows that go together over rows on disk.
Ref<MemoryTable> windowsOnDisk(const Columns& windows, SpillableSource& source, Context& context) {
    const std::vector<int> columns = columnsReadBy(codeOf(windows), source.columns());
    const Window& first = *windows[0].window;
    std::vector<ExpressionProgram> keys;
    for (const NodeRef& key : first.partitionBy) keys.push_back(bindProgram(key, source.columns(), context));
    Ref<MemoryTable> values;
    if (areKeysOfParts(keys)) {
        const GroupsOfPart compute = [&](const Ref<MemoryTable>& rows, std::vector<int32_t>& sources) {
            sources.resize(static_cast<size_t>(rows->rowCount()));
            std::iota(sources.begin(), sources.end(), 0);
            return windowColumns(windows, *rows, context);
        };
        values = computedInParts(source, keys, columns, PartsOrder::EachRow, compute, context);
    } else if (keys.empty()) {
        std::vector<const Window*> code;
        for (const OverNode::Column& column : windows) code.push_back(column.window.get());
        values = streamedWindows(code, source, columns, context);
    }
    return values ? values : windowColumns(windows, *source.rows(columns), context);
}

// Returns the rows that the rest of the select reads beside the columns of the windows; null where all rows fit in
// memory, or cannot be spilled.
Ref<MemoryTable> rowsOnDisk(const OverNode& node, const RowSource& source, Context& context) {
    if (node.input->kind != PlanNode::Kind::Scan) return nullptr;
    const auto& scan = static_cast<const ScanNode&>(*node.input);
    if (scan.isGiven || !canSpill(source, *scan.columns, context)) return nullptr;
    SpillableSource rows(source, scan.conditions, context);
    // Memory for a row, its copy group by group, and the result of each window.
    const auto items = static_cast<int64_t>(node.items.size());
    if (!rows.exceedsMemory(2 * estimatedRowBytes(rows.columns()) + 24 * items + 24)) return nullptr;
    std::vector<std::pair<std::string, Value>> given;
    for (const Columns& windows : columnsTogether(node.windows, context)) {
        const Ref<MemoryTable> values = windowsOnDisk(windows, rows, context);
        for (size_t w = 0; w < windows.size(); ++w)
            given.emplace_back(windows[w].name, values->column(static_cast<int>(w)));
    }
    NodeList read;
    for (const SelectItem& item : node.rest->items) read.push_back(item.value);
    for (const OrderItem& item : node.rest->orderBy) read.push_back(item.value);
    const Ref<MemoryTable> result = rows.rows(columnsReadBy(read, rows.columns()));
    for (auto& [name, values] : given) result->setColumn(name, std::move(values));
    return result;
}

}  // namespace

Ref<MemoryTable> runWindow(const WindowNode& node, const RowSource& source,
                           const std::function<Ref<MemoryTable>()>& readRows, Context& context) {
    const bool byKeys = node.output == WindowNode::Output::GroupOrder;
    const GroupsOfPart compute = [&](const Ref<MemoryTable>& rows, std::vector<int32_t>& sources) {
        return contextRows(node, *rows, context, &sources);
    };
    if (Ref<MemoryTable> result =
            runInParts(node, source, byKeys ? PartsOrder::Keys : PartsOrder::Rows, compute, context))
        return result;
    return contextRows(node, *readRows(), context);
}

Ref<MemoryTable> runRoll(const RollNode& node, const RowSource& source,
                         const std::function<Ref<MemoryTable>()>& readRows, Context& context) {
    const GroupsOfPart compute = [&](const Ref<MemoryTable>& rows, std::vector<int32_t>& sources) {
        return rollRows(node, *rows, context, &sources);
    };
    if (Ref<MemoryTable> result = runInParts(node, source, PartsOrder::Keys, compute, context)) return result;
    return rollRows(node, *readRows(), context);
}

SelectedRows runOver(const OverNode& node, const RowSource& source, const std::function<Ref<MemoryTable>()>& readRows,
                     Context& context) {
    Ref<MemoryTable> rows = rowsOnDisk(node, source, context);
    if (!rows) {
        rows = readRows()->copy();
        addWindowColumns(node.windows, *rows, context);
    }
    const Ref<Query> rest = copyQuery(*node.rest);
    rest->table = makeRef<Constant>(Value::of(Ref<Table>(rows)), rest->position);
    return selectRows(*rest, context);
}

}  // namespace pelorus
