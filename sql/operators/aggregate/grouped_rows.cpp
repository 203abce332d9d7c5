// group by, and aggregates over all rows: from states where that is possible, group by group otherwise.
#include "sql/operators/aggregate/grouped_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "interpreter/expression/bind.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/aggregate/hash_aggregate.h"
#include "sql/operators/select_rows.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

Value columnWithoutGroups(const NodeRef& item, const TableSchema& columns, Context& context) {
    if (const std::optional<ResultType> type = typeOf(bindExpression(item, columns, context))) {
        Ref<Vector> column = Vector::make(type->type, 0);
        if (isDecimal(type->type)) column->setScale(static_cast<uint8_t>(type->scale));
        return Value::of(std::move(column));
    }
    // Only a call determines the type: count(distinct x). The type of a function that needs rows is unknown.
    try {
        const Value v = bindProgram(item, columns, context).evaluate(context, *MemoryTable::empty(columns));
        const bool isItem = v.isScalar() && !v.isVoid() && storageOf(v.type()) != Storage::Boxed;
        if (isItem) return Value::of(Vector::filled(v.type(), 0, v));
    } catch (const UserError&) {
    }
    return Value::of(Vector::make(Type::Double, 0));
}

namespace {

// Returns the table of groups in ascending order of the keys, which are its first columns.
Ref<MemoryTable> inKeyOrder(Ref<MemoryTable> table, size_t keys, Context& context) {
    std::vector<OrderKey> order;
    for (size_t k = 0; k < keys; ++k) order.push_back({table->column(static_cast<int>(k))});
    return order.empty() ? table : sortedRows(std::move(table), std::move(order), context);
}

// Computes the select list over the groups.
Ref<MemoryTable> finishGroups(const AggregateNode& node, const RowSource& source, GroupsTable all, Context& context) {
    Ref<MemoryTable> table = std::move(all.rows);
    if (!node.keysLast && !all.isInKeyOrder) table = inKeyOrder(std::move(table), node.keys.size(), context);
    if (node.having) {
        const Value mask = node.having->value.evaluate(context, *table);
        const std::vector<int32_t> kept = rowsWhere(mask, table->rowCount(), "having");
        table = table->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    auto result = makeRef<MemoryTable>();
    const int64_t rows = table->columnCount() > 0 ? table->rowCount() : 1;
    for (const BoundItem& item : node.items)
        addOutput(*result, item.written, item.value.evaluate(context, *table), rows);
    // Keys learn the scale of decimals from rows.
    for (const BoundItem& key : node.keys) {
        const int c = result->findColumn(key.names()[0]);
        if (result->rowCount() == 0 && c >= 0 && isDecimal(result->columns()[static_cast<size_t>(c)].type))
            result->setColumn(key.names()[0], columnWithoutGroups(key.written.value, source.columns(), context));
    }
    for (size_t k = 0; k < node.keys.size() && node.keysLast; ++k)
        result->setColumn(lastOrderColumn(k), table->column(static_cast<int>(k)));
    return result;
}

Value columnOfCells(std::vector<Value> cells, CellKind kind) {
    Type type = cells.empty() ? Type::Double : cells[0].type();
    for (Value& cell : cells) {
        if (cell.isMatrix()) cell = Value::of(cell.matrix().cells);
        type = commonType(type, cell.type());
    }
    const TupleKind tuples = kind == CellKind::ColumnarTuple ? TupleKind::Columnar : TupleKind::Plain;
    Value column = Value::of(makeRef<Tuple>(std::move(cells), tuples));
    return kind == CellKind::Array ? cast(column, arrayTypeOf(type)) : column;
}

// Returns the value of an item for a group, as its cell.
Value cellOf(const WholeGroupsNode::Item& item, Value v) {
    if (item.cells != CellKind::Scalar) return v;
    // A key that is selected is the same in every row of its group.
    if (item.readsOnlyKeys && v.isTypedVector() && v.size() > 0) v = v.at(0);
    if (!v.isScalar() && item.item.names().size() == 1 && v.isVector() && v.size() == 1) v = v.at(0);
    return v;
}

// Returns the column of an item that has one, from its cells.
Value columnOfItem(const WholeGroupsNode::Item& item, std::vector<Value> cells, const TableSchema& columns,
                   Context& context) {
    if (item.cells != CellKind::Scalar) return columnOfCells(std::move(cells), item.cells);
    if (cells.empty()) return columnWithoutGroups(item.item.written.value, columns, context);
    const bool anyVector = std::ranges::any_of(cells, [](const Value& v) { return v.isVector(); });
    Value column = columnOf(std::move(cells));
    if (column.isTuple() && anyVector) {
        const std::string& name = item.item.names()[0];
        throw UserError(
            fmt::format("The column [{}] must use aggregate function. RefId: S02022", name),
            fmt::format("Write an aggregate, as avg({0}) or last({0}), or {0} among the keys; context by keeps all "
                        "rows.",
                        name));
    }
    return column;
}

}  // namespace

Ref<MemoryTable> rowsOfWholeGroups(const WholeGroupsNode& node, const MemoryTable& rows, Context& context) {
    const RowGroups groups = groupRows(node.keys, rows, context);
    std::vector<std::vector<Value>> results(node.items.size());
    std::vector<int32_t> keptGroups;
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks,
                           static_cast<int64_t>(groups.rows.size()));
    for (size_t g = 0; g < groups.rows.size(); ++g) {
        context.checkCancelled();
        progress.add(1);
        const Ref<MemoryTable> group = rows.gather(groups.rows[g].data(), static_cast<int64_t>(groups.rows[g].size()));
        if (node.having && !isTrue(node.having->value.evaluate(context, *group))) continue;
        keptGroups.push_back(static_cast<int32_t>(g));
        for (size_t i = 0; i < node.items.size(); ++i)
            results[i].push_back(cellOf(node.items[i], node.items[i].item.value.evaluate(context, *group)));
    }
    auto table = makeRef<MemoryTable>();
    const Ref<Vector> kept = Vector::of(Type::Int, keptGroups);
    for (const size_t k : node.shownKeys) table->setColumn(node.keys[k].names()[0], takeRows(groups.keys[k], *kept));
    for (size_t i = 0; i < node.items.size(); ++i) {
        const std::vector<std::string>& names = node.items[i].item.names();
        if (names.size() == 1) {
            table->setColumn(names[0], columnOfItem(node.items[i], std::move(results[i]), rows.columns(), context));
            continue;
        }
        for (size_t n = 0; n < names.size(); ++n) {
            std::vector<Value> column;
            for (const Value& v : results[i]) column.push_back(v.at(static_cast<int64_t>(n)));
            if (!names[n].empty()) table->setColumn(names[n], columnOf(std::move(column)));
        }
    }
    return table;
}

Ref<MemoryTable> aggregatedRows(const AggregateNode& node, const RowSource& source, const NodeList& conditions,
                                Context& context) {
    const RowsToGroup rows{source, conditions, node.keys, node.aggregates};
    GroupsTable groups = needsOtherNodes(source, context)
                             ? groupsTable(rows, runPartsOnNodes(node, source, conditions, context), context)
                             : groupsTable(rows, !node.keysLast, context);
    return finishGroups(node, source, std::move(groups), context);
}

Ref<MemoryTable> groupedRows(const SelectPlan& plan, Context& context) {
    CHECK(plan.source.memory() && plan.filters.empty() && plan.laterFilters.empty()) << "rows that all are grouped";
    const PlanRef groups = bindGroups(plan, context);
    if (groups->kind == PlanNode::Kind::Aggregate)
        return aggregatedRows(static_cast<const AggregateNode&>(*groups), plan.source, {}, context);
    const auto& scan = static_cast<const ScanNode&>(*groups->input);
    return rowsOfWholeGroups(static_cast<const WholeGroupsNode&>(*groups), *scannedRows(scan, plan.source, context),
                             context);
}

}  // namespace pelorus
