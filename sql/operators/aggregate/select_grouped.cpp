// group by, and aggregates over all rows: from states where that is possible, group by group otherwise.
#include "sql/operators/aggregate/select_grouped.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "interpreter/expression/bind.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/function/progress.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/repeated_constants.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/aggregate/hash_aggregate.h"
#include "sql/operators/select_rows.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

// Returns the table of groups in ascending order of the keys.
Ref<MemoryTable> inKeyOrder(const SelectPlan& plan, Ref<MemoryTable> table, Context& context) {
    std::vector<OrderKey> order;
    for (size_t k = 0; k < plan.keys.size(); ++k) order.push_back({table->column(static_cast<int>(k))});
    return order.empty() ? table : sortedRows(std::move(table), std::move(order), context);
}

// Keys that are not selected come first; selected ones are where they were written.
std::vector<OutputItem> withKeys(const SelectPlan& plan, const std::vector<NodeRef>& items) {
    std::vector<OutputItem> all;
    for (const OutputItem& key : plan.keys) {
        bool selected = false;
        for (size_t i = 0; i < plan.items.size(); ++i) {
            bool isKey = items[i]->kind == NodeKind::Name && static_cast<const Name&>(*items[i]).name == key.names[0];
            selected = selected || isKey || plan.items[i].names[0] == key.names[0];
        }
        if (!selected) all.push_back({key.names, makeRef<Name>(key.names[0], SourcePosition{}), true});
    }
    for (size_t i = 0; i < plan.items.size(); ++i) all.push_back({plan.items[i].names, items[i], plan.items[i].named});
    return all;
}

}  // namespace

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

Ref<MemoryTable> finishGroups(const SelectPlan& plan, const AggregatePlan& aggregates, GroupsTable all, bool keysLast,
                              Context& context) {
    Ref<MemoryTable> table = std::move(all.rows);
    if (!keysLast && !all.isInKeyOrder) table = inKeyOrder(plan, std::move(table), context);
    if (aggregates.having) {
        const ExpressionProgram having = bindProgram(aggregates.having, table->columns(), context);
        const std::vector<int32_t> kept = rowsWhere(having.evaluate(context, *table), table->rowCount(), "having");
        table = table->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    auto result = makeRef<MemoryTable>();
    for (const OutputItem& item : withKeys(plan, aggregates.items)) {
        const ExpressionProgram e = bindProgram(item.value, table->columns(), context);
        addOutput(*result, item, e.evaluate(context, *table), table->columnCount() ? table->rowCount() : 1);
    }
    // Keys learn the scale of decimals from rows.
    for (const OutputItem& key : plan.keys) {
        const int c = result->findColumn(key.names[0]);
        if (result->rowCount() == 0 && c >= 0 && isDecimal(result->columns()[static_cast<size_t>(c)].type))
            result->setColumn(key.names[0], columnWithoutGroups(key.value, plan.source.columns(), context));
    }
    for (size_t k = 0; k < plan.keys.size() && keysLast; ++k)
        result->setColumn(lastOrderColumn(k), table->column(static_cast<int>(k)));
    return result;
}

// Kind of a group's value of one output column: a scalar, or all values collected by toArray, toColumnarTuple or
// toTuple.
enum class CellKind : uint8_t { Scalar, Array, ColumnarTuple, Tuple };

CellKind cellKindOf(const Node& item, const TableSchema& columns) {
    if (item.kind != NodeKind::Call) return CellKind::Scalar;
    const auto& call = static_cast<const Call&>(item);
    if (call.callee->kind != NodeKind::Name) return CellKind::Scalar;
    const Role role = roleOf(call.callee);
    const bool takesRow = (role == Role::First || role == Role::Last) && call.arguments.size() == 1 &&
                          call.arguments[0].value->kind == NodeKind::Name;
    if (takesRow) {
        const std::string& name = static_cast<const Name&>(*call.arguments[0].value).name;
        for (const ColumnSchema& column : columns) {
            if (column.name == name && isArrayType(column.type)) return CellKind::Array;
        }
    }
    if (role == Role::ArrayCells) return CellKind::Array;
    if (role == Role::ColumnarTupleCells) return CellKind::ColumnarTuple;
    return role == Role::TupleCells ? CellKind::Tuple : CellKind::Scalar;
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

// Such an expression is constant within its group.
bool readsOnlyKeys(const ExpressionProgram& item, const SelectPlan& plan, const TableSchema& columns,
                   Context& context) {
    if (!item.isElementwise()) return false;
    for (const OutputItem& key : plan.keys) {
        if (isSameCode(key.value, item.code())) return true;
    }
    return std::all_of(item.columns().begin(), item.columns().end(), [&](int c) {
        return std::any_of(plan.keys.begin(), plan.keys.end(), [&](const OutputItem& key) {
            return bindProgram(key.value, columns, context).plainColumn() == c;
        });
    });
}

}  // namespace

// Any aggregate of whole vectors: the rows of each group are gathered and every output expression is computed on them.
Ref<MemoryTable> rowsOfWholeGroups(const SelectPlan& plan, Context& context) {
    Ref<MemoryTable> rows = filteredRows(plan, context);
    RowGroups groups = groupRows(plan.keys, *rows, context);
    std::vector<NodeRef> items;
    for (const OutputItem& item : plan.items) items.push_back(item.value);
    std::vector<ExpressionProgram> expressions;
    for (const NodeRef& item : items) {
        expressions.push_back(
            bindProgram(withRepeatedConstants(item, rows->columns(), context), rows->columns(), context));
    }
    std::vector<CellKind> cellKinds;
    for (const NodeRef& item : items) cellKinds.push_back(cellKindOf(*item, rows->columns()));
    std::vector<bool> ofKeys;
    for (const ExpressionProgram& e : expressions) ofKeys.push_back(readsOnlyKeys(e, plan, rows->columns(), context));
    std::vector<std::vector<Value>> results(items.size());
    std::vector<int32_t> keptGroups;
    std::optional<ExpressionProgram> having;
    if (plan.query->having) having = bindProgram(plan.query->having, rows->columns(), context);
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks,
                           static_cast<int64_t>(groups.rows.size()));
    for (size_t g = 0; g < groups.rows.size(); ++g) {
        context.checkCancelled();
        progress.add(1);
        Ref<MemoryTable> group = rows->gather(groups.rows[g].data(), static_cast<int64_t>(groups.rows[g].size()));
        if (having && !isTrue(having->evaluate(context, *group))) continue;
        keptGroups.push_back(static_cast<int32_t>(g));
        for (size_t i = 0; i < items.size(); ++i) {
            Value v = expressions[i].evaluate(context, *group);
            // A key that is selected is the same in every row of its group.
            if (cellKinds[i] != CellKind::Scalar) {
                results[i].push_back(std::move(v));
                continue;
            }
            if (ofKeys[i] && v.isTypedVector() && v.size() > 0) v = v.at(0);
            if (!v.isScalar() && plan.items[i].names.size() == 1 && v.isVector() && v.size() == 1) v = v.at(0);
            results[i].push_back(std::move(v));
        }
    }
    auto table = makeRef<MemoryTable>();
    Ref<Vector> kept = Vector::of(Type::Int, keptGroups);
    for (const OutputItem& item : withKeys(plan, items)) {
        size_t position = 0;
        while (position < items.size() && items[position].get() != item.value.get()) ++position;
        if (position == items.size()) {
            for (size_t k = 0; k < plan.keys.size(); ++k) {
                if (plan.keys[k].names[0] == item.names[0])
                    table->setColumn(item.names[0], takeRows(groups.keys[k], *kept));
            }
            continue;
        }
        if (item.names.size() == 1) {
            if (cellKinds[position] != CellKind::Scalar) {
                table->setColumn(item.names[0], columnOfCells(results[position], cellKinds[position]));
                continue;
            }
            Value column = columnOf(results[position]);
            if (results[position].empty()) column = columnWithoutGroups(items[position], rows->columns(), context);
            const auto& cells = results[position];
            if (column.isTuple() &&
                std::any_of(cells.begin(), cells.end(), [](const Value& v) { return v.isVector(); })) {
                throw UserError(
                    fmt::format("The column [{}] must use aggregate function. RefId: S02022", item.names[0]),
                    fmt::format("Write an aggregate, as avg({0}) or last({0}), or {0} among the keys; context by keeps "
                                "all rows.",
                                item.names[0]));
            }
            table->setColumn(item.names[0], column);
            continue;
        }
        for (size_t n = 0; n < item.names.size(); ++n) {
            std::vector<Value> column;
            for (const Value& v : results[position]) column.push_back(v.at(static_cast<int64_t>(n)));
            if (!item.names[n].empty()) table->setColumn(item.names[n], columnOf(std::move(column)));
        }
    }
    return table;
}

Ref<MemoryTable> aggregatedRows(const SelectPlan& plan, const AggregatePlan& aggregates, bool keysLast,
                                Context& context) {
    GroupsTable groups = needsOtherNodes(plan.source, context)
                             ? groupsTable(plan, aggregates, runPartsOnNodes(plan, context), context)
                             : groupsTable(plan, aggregates, !keysLast, context);
    return finishGroups(plan, aggregates, std::move(groups), keysLast && !plan.keys.empty(), context);
}

Ref<MemoryTable> selectGrouped(const SelectPlan& plan, Context& context) {
    AggregatePlan aggregates;
    return planGroups(plan, context, aggregates) ? aggregatedRows(plan, aggregates, false, context)
                                                 : rowsOfWholeGroups(plan, context);
}

}  // namespace pelorus
