#include "sql/physical/run_windows.h"

#include "sql/expression/bind_expression.h"
#include "sql/operators/window/context_rows.h"
#include "sql/operators/window/roll_rows.h"
#include "sql/operators/window/windows_in_parts.h"

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

}  // namespace pelorus
