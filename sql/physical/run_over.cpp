#include "sql/physical/run_over.h"

#include <algorithm>
#include <numeric>

#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/table/column_lookup.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/window/streamed_windows.h"
#include "sql/operators/window/window_operator.h"
#include "sql/operators/window/windows_in_parts.h"
#include "sql/physical/run_select.h"

namespace pelorus {

namespace {

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
