// group by, and aggregates over everything: as states where that is possible, group by group otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "interpreter/expression/bind.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/to_source.h"
#include "runtime/format/print.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/index.h"
#include "runtime/kernel/promotion.h"
#include "runtime/kernel/row_order.h"
#include "runtime/memory/budget.h"
#include "runtime/received.h"
#include "runtime/spill_file.h"
#include "sql/external_sort.h"
#include "sql/group_table.h"
#include "sql/grouping.h"
#include "sql/operators/driver.h"
#include "sql/partial_query.h"
#include "sql/select.h"
#include "sql/select_map_reduce.h"
#include "sql/spilled_groups.h"

namespace pelorus {

Type keyType(const ColumnExpression& key) {
    if (key.isElementwise()) return key.resultType();
    const bool isLiteral = key.node()->kind == NodeKind::Constant;
    return isLiteral ? static_cast<const Constant&>(*key.node()).value.type() : Type::Any;
}

std::vector<Type> keyTypes(const std::vector<ColumnExpression>& keys) {
    std::vector<Type> types;
    for (const ColumnExpression& k : keys) types.push_back(keyType(k));
    return types;
}

namespace {

void addBlock(Grouping& grouping, BlockRows& rows, const std::vector<ColumnExpression>& keys,
              const AggregatePlan& aggregates, Context& context) {
    int64_t n = rows.rows();
    const int32_t* groups = nullptr;
    if (!keys.empty()) {
        std::vector<Value> keyValues;
        for (const ColumnExpression& k : keys) keyValues.push_back(rows.evaluate(k, context));
        groups = grouping.number(keyValues, n).data();
    }
    for (size_t i = 0; i < aggregates.calls.size(); ++i) {
        std::vector<Value> arguments;
        for (const ColumnExpression& a : aggregates.calls[i].arguments) arguments.push_back(rows.evaluate(a, context));
        grouping.state(i).add(arguments, groups, n);
    }
}

// The groups of each morsel by itself.
class GroupSink final : public Sink {
public:
    // `done`: morsels whose groups are there already. `parts`: where the others' go.
    GroupSink(const std::vector<Type>& types, const std::vector<ColumnExpression>& keys,
              const AggregatePlan& aggregates, const std::vector<char>& done, const std::function<void()>& beforeBlock,
              std::vector<PartialGroups>& parts)
        : types_(types), keys_(keys), aggregates_(aggregates), done_(done), beforeBlock_(beforeBlock), parts_(parts) {}

    void open(size_t morsels) override { groupings_.resize(morsels); }

    bool wants(size_t morsel, const PartitionReader&, int) override {
        if (done_[morsel]) return false;
        if (beforeBlock_) beforeBlock_();
        return true;
    }

    void push(size_t morsel, int, BlockRows& rows, Context& context) override {
        addBlock(grouping(morsel), rows, keys_, aggregates_, context);
    }

    void close(size_t morsel) override {
        if (done_[morsel]) return;
        parts_[morsel] = grouping(morsel).finish();
        groupings_[morsel].reset();
    }

private:
    Grouping& grouping(size_t morsel) {
        if (!groupings_[morsel]) groupings_[morsel] = std::make_unique<Grouping>(types_, aggregates_);
        return *groupings_[morsel];
    }

    const std::vector<Type>& types_;
    const std::vector<ColumnExpression>& keys_;
    const AggregatePlan& aggregates_;
    const std::vector<char>& done_;
    const std::function<void()>& beforeBlock_;
    std::vector<PartialGroups>& parts_;
    std::vector<std::unique_ptr<Grouping>> groupings_;  // each of the thread of its morsel
};

// Key columns, then one column per aggregate.
Ref<MemoryTable> groupsTable(const SelectPlan& plan, const AggregatePlan& aggregates, const PartialGroups& groups) {
    auto table = makeRef<MemoryTable>();
    for (size_t k = 0; k < plan.keys.size(); ++k) table->setColumn(plan.keys[k].names[0], groups.keys[k]);
    for (size_t i = 0; i < aggregates.calls.size(); ++i) {
        table->setColumn(aggregates.calls[i].column, groups.states[i]->results());
    }
    return table;
}

// The table of groups in ascending order of the keys.
Ref<MemoryTable> inKeyOrder(const SelectPlan& plan, Ref<MemoryTable> table, Context& context) {
    std::vector<OrderKey> order;
    for (size_t k = 0; k < plan.keys.size(); ++k) order.push_back({table->column(static_cast<int>(k))});
    return order.empty() ? table : sortedRows(std::move(table), std::move(order), context);
}

// Keys that are not selected come first; selected ones stand where they were written: SQL-20.
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

// The type is that of a query with groups, where functions say it.
Value columnWithoutGroups(const Node& item, const TableSchema& columns, Context& context) {
    const std::optional<ResultType> type = typeOf(bindExpression(item, columns, context));
    Ref<Vector> column = Vector::make(type ? type->type : Type::Double, 0);
    if (type && isDecimal(type->type)) column->setScale(static_cast<uint8_t>(type->scale));
    return Value::of(std::move(column));
}

Ref<MemoryTable> finishGroups(const SelectPlan& plan, const AggregatePlan& aggregates, Ref<MemoryTable> table,
                              bool keysLast, Context& context) {
    if (!keysLast) table = inKeyOrder(plan, std::move(table), context);
    const int64_t groups = table->rowCount();
    if (aggregates.having) {
        ColumnExpression having(aggregates.having, table->columns(), context);
        Value mask = having.evaluate(context, *table);
        std::vector<int32_t> kept;
        for (int64_t i = 0; i < groups; ++i) {
            if (isTrue(mask.isScalar() ? mask : mask.at(i))) kept.push_back(static_cast<int32_t>(i));
        }
        table = table->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    auto result = makeRef<MemoryTable>();
    for (const OutputItem& item : withKeys(plan, aggregates.items)) {
        ColumnExpression e(item.value, table->columns(), context);
        addOutput(*result, item, e.evaluate(context, *table), table->columnCount() ? table->rowCount() : 1);
    }
    // States learn the scale of decimals from rows.
    for (const OutputItem& item : plan.items) {
        const int c = result->findColumn(item.names[0]);
        if (result->rowCount() == 0 && c >= 0 && isDecimal(result->columns()[static_cast<size_t>(c)].type))
            result->setColumn(item.names[0], columnWithoutGroups(*item.value, plan.source.columns(), context));
    }
    for (size_t k = 0; k < plan.keys.size() && keysLast; ++k)
        result->setColumn(lastOrderColumn(k), table->column(static_cast<int>(k)));
    return result;
}

// What a group gives for one item: a scalar, or all that toArray, toColumnarTuple or toTuple put together.
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
    Value column = Value::of(makeRef<Tuple>(std::move(cells), kind == CellKind::ColumnarTuple));
    return kind == CellKind::Array ? cast(column, arrayTypeOf(type)) : column;
}

// Such an item is the same in every row of its group.
bool readsOnlyKeys(const ColumnExpression& item, const SelectPlan& plan, const TableSchema& columns, Context& context) {
    if (!item.isElementwise()) return false;
    const std::string text = toSource(*item.node());
    for (const OutputItem& key : plan.keys) {
        if (toSource(*key.value) == text) return true;
    }
    return std::all_of(item.columns().begin(), item.columns().end(), [&](int c) {
        return std::any_of(plan.keys.begin(), plan.keys.end(), [&](const OutputItem& key) {
            return ColumnExpression(key.value, columns, context).plainColumn() == c;
        });
    });
}

// Any aggregate of whole vectors: the rows of each group are put together and every item is computed on them.
Ref<MemoryTable> groupByGroup(const SelectPlan& plan, Context& context) {
    Ref<MemoryTable> rows = filteredRows(plan, context);
    RowGroups groups = groupRows(plan.keys, *rows, context);
    std::vector<NodeRef> items;
    for (const OutputItem& item : plan.items) items.push_back(item.value);
    std::vector<ColumnExpression> expressions;
    for (const NodeRef& item : items) {
        expressions.emplace_back(withRepeatedConstants(item, rows->columns(), context), rows->columns(), context);
    }
    std::vector<CellKind> cellKinds;
    for (const NodeRef& item : items) cellKinds.push_back(cellKindOf(*item, rows->columns()));
    std::vector<bool> ofKeys;
    for (const ColumnExpression& e : expressions) ofKeys.push_back(readsOnlyKeys(e, plan, rows->columns(), context));
    std::vector<std::vector<Value>> results(items.size());
    std::vector<int32_t> keptGroups;
    std::optional<ColumnExpression> having;
    if (plan.query->having) having.emplace(plan.query->having, rows->columns(), context);
    for (size_t g = 0; g < groups.rows.size(); ++g) {
        context.checkCancelled();
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
            Value column = listOf(results[position]);
            if (results[position].empty()) column = columnWithoutGroups(*items[position], rows->columns(), context);
            const auto& cells = results[position];
            if (column.isTuple() &&
                std::any_of(cells.begin(), cells.end(), [](const Value& v) { return v.isVector(); })) {
                throw UserError(
                    fmt::format("The column [{}] must use aggregate function. RefId: S02022", item.names[0]));
            }
            table->setColumn(item.names[0], column);
            continue;
        }
        for (size_t n = 0; n < item.names.size(); ++n) {
            std::vector<Value> column;
            for (const Value& v : results[position]) column.push_back(v.at(static_cast<int64_t>(n)));
            if (!item.names[n].empty()) table->setColumn(item.names[n], listOf(std::move(column)));
        }
    }
    return table;
}

}  // namespace

NodeRef withRepeatedConstants(const NodeRef& item, const TableSchema& columns, Context& context) {
    return rewrite(item, [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Call || columns.empty()) return NodeRef();
        const auto& call = static_cast<const Call&>(*n);
        const Ref<Function> f = calledFunction(call, context);
        Value constant;
        const bool repeats = f && f->signature().aggregate && call.arguments.size() == 1 &&
                             call.arguments[0].value->kind != NodeKind::Star &&
                             constantValue(*call.arguments[0].value, columns, context, constant) && constant.isScalar();
        if (!repeats) return NodeRef();
        auto function = [&](const char* name, std::vector<Argument> arguments) -> NodeRef {
            auto callee = makeRef<Name>(name, n->position);
            callee->functionOnly = true;
            return makeRef<Call>(std::move(callee), std::move(arguments), Call::Style::Function, n->position);
        };
        NodeRef rows = function("size", {{"", makeRef<Name>(columns[0].name, n->position)}});
        NodeRef repeated = function("take", {{"", call.arguments[0].value}, {"", std::move(rows)}});
        return makeRef<Call>(call.callee, std::vector<Argument>{{"", std::move(repeated)}}, call.style, n->position);
    });
}

std::vector<PartialGroups> computeGroups(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context) {
    const TableSchema& columns = plan.source.columns();
    Filter filter(plan.filters, columns, context);
    return groupMorsels(plan, aggregates, morselsOf(plan.source, filter.constraints()), filter, context);
}

std::vector<PartialGroups> groupMorsels(const SelectPlan& plan, const AggregatePlan& aggregates,
                                        const std::vector<Morsel>& morsels, Filter& filter, Context& context,
                                        const std::function<void()>& beforeBlock) {
    const TableSchema& columns = plan.source.columns();
    std::vector<ColumnExpression> keys;
    for (const OutputItem& key : plan.keys) keys.emplace_back(key.value, columns, context);
    std::vector<Type> types = keyTypes(keys);
    std::vector<PartialGroups> parts(morsels.size());
    // Where the morsels of each partition begin.
    std::vector<size_t> begins;
    for (size_t i = 0; i < morsels.size(); ++i) {
        if (i == 0 || morsels[i].partition != morsels[i - 1].partition) begins.push_back(i);
    }
    begins.push_back(morsels.size());
    std::vector<char> byKeyParts(morsels.size(), 0);
    for (size_t p = 0; p + 1 < begins.size(); ++p) {
        const std::span<const Morsel> own(morsels.data() + begins[p], begins[p + 1] - begins[p]);
        if (!prefersKeyParts(own, keys, aggregates, filter, context)) continue;
        std::fill(byKeyParts.begin() + static_cast<std::ptrdiff_t>(begins[p]),
                  byKeyParts.begin() + static_cast<std::ptrdiff_t>(begins[p + 1]), 1);
        parts[begins[p]] = groupByKeyParts(own, keys, aggregates, filter, context);
    }
    std::vector<const ColumnExpression*> expressions;
    for (const ColumnExpression& key : keys) expressions.push_back(&key);
    for (const AggregateCall& call : aggregates.calls) {
        for (const ColumnExpression& argument : call.arguments) expressions.push_back(&argument);
    }
    GroupSink sink(types, keys, aggregates, byKeyParts, beforeBlock, parts);
    drive(morsels, filter, readColumns(filter, expressions, context), sink, context);
    std::vector<PartialGroups> byPartition;
    for (size_t p = 0; p + 1 < begins.size(); ++p) {
        std::vector<PartialGroups> same;
        const size_t end = byKeyParts[begins[p]] ? begins[p] + 1 : begins[p + 1];
        for (size_t i = begins[p]; i < end; ++i) same.push_back(std::move(parts[i]));
        byPartition.push_back(mergeGroups(std::move(same), plan, aggregates, context));
    }
    return byPartition;
}

// In the order of the parts, which is that of the data.
PartialGroups mergeGroups(std::vector<PartialGroups> parts, const SelectPlan& plan, const AggregatePlan& aggregates,
                          Context& context) {
    if (parts.size() == 1) return std::move(parts[0]);
    const TableSchema& columns = plan.source.columns();
    std::vector<ColumnExpression> keys;
    for (const OutputItem& key : plan.keys) keys.emplace_back(key.value, columns, context);
    Grouping whole(keyTypes(keys), aggregates);
    for (PartialGroups& part : parts) {
        if (part.groups == 0) continue;
        const int32_t* numbers = nullptr;
        std::vector<int32_t> zero(1, 0);
        numbers = plan.keys.empty() ? zero.data() : whole.number(part.keys, part.groups).data();
        for (size_t i = 0; i < aggregates.calls.size(); ++i)
            whole.state(i).merge(*part.states[i], numbers, part.groups);
        part = PartialGroups();
    }
    return whole.finish();
}

Value saveGroups(const PartialGroups& groups) {
    std::vector<Value> states;
    for (const auto& s : groups.states) states.push_back(s->save());
    return Value::of(
        makeRef<Tuple>(std::vector<Value>{Value::of(makeRef<Tuple>(groups.keys)),
                                          Value::of(makeRef<Tuple>(std::move(states))), Value::ofLong(groups.groups)}));
}

PartialGroups loadGroups(const Value& saved, const SelectPlan& plan, const AggregatePlan& aggregates,
                         Context& context) {
    const TableSchema& columns = plan.source.columns();
    std::vector<ColumnExpression> keys;
    for (const OutputItem& key : plan.keys) keys.emplace_back(key.value, columns, context);
    const std::vector<Type> types = keyTypes(keys);
    PartialGroups groups;
    const auto& parts = received::tuple(saved, 3, "groups");
    groups.groups = received::integer(parts[2], "number of groups");
    received::require(groups.groups >= 0 && groups.groups <= INT32_MAX, "number of groups");
    groups.keys = received::tuple(parts[0], types.size(), "keys of groups");
    for (size_t k = 0; k < types.size(); ++k) {
        const Value& key = groups.keys[k];
        const bool fits = key.type() == types[k] || (isLiteral(key.type()) && isLiteral(types[k]));
        received::require(key.isTypedVector() && fits && key.size() == groups.groups, "keys of groups");
    }
    // Groups that no key tells apart are one.
    received::require(!types.empty() || groups.groups <= 1, "number of groups");
    const auto& states = received::tuple(parts[1], aggregates.calls.size(), "states of groups");
    for (size_t i = 0; i < states.size(); ++i) {
        groups.states.push_back(aggregates.newState(i));
        groups.states.back()->load(states[i], groups.groups);
    }
    return groups;
}

namespace {

struct TooManyGroups {};

// The table of groups. Those that have no room in memory are made a part of the keys at a time, from rows set aside on
// disk.
Ref<MemoryTable> groupedRows(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context) {
    const bool canSpill = spillFolderOf(context) && canSpillGroups(plan);
    // Merging the parts takes up to as much again, and so does the result.
    const int64_t most = canSpill ? memory::usedBytes() - memory::cachedBytes() + roomBytes() / 3 : INT64_MAX;
    const auto checkRoom = [&] {
        if (memory::usedBytes() > most && memory::usedBytes() - memory::cachedBytes() > most) throw TooManyGroups();
    };
    Filter filter(plan.filters, plan.source.columns(), context);
    const std::vector<Morsel> morsels = morselsOf(plan.source, filter.constraints());
    try {
        std::vector<PartialGroups> parts = groupMorsels(plan, aggregates, morsels, filter, context, checkRoom);
        return groupsTable(plan, aggregates, mergeGroups(std::move(parts), plan, aggregates, context));
    } catch (const TooManyGroups&) {
    }
    Ref<MemoryTable> table;
    forEachSpilledPart(plan, aggregates, morsels, filter, context, [&](const std::vector<Morsel>& part) {
        Filter none({}, plan.source.columns(), context);
        std::vector<PartialGroups> groups = groupMorsels(plan, aggregates, part, none, context);
        const Ref<MemoryTable> rows =
            groupsTable(plan, aggregates, mergeGroups(std::move(groups), plan, aggregates, context));
        if (table) {
            table->append(*rows);
        } else {
            table = rows->copy();
        }
    });
    return table;
}

}  // namespace

bool planGroups(const SelectPlan& plan, Context& context, AggregatePlan& aggregates) {
    std::vector<NodeRef> items, keyNodes;
    std::vector<std::string> keyNames;
    for (const OutputItem& item : plan.items) items.push_back(item.value);
    const TableSchema& columns = plan.source.columns();
    for (const OutputItem& key : plan.keys) {
        keyNodes.push_back(key.value);
        keyNames.push_back(key.names[0]);
        ColumnExpression e(key.value, columns, context);
        bool isMixed =
            e.plainColumn() >= 0 && storageOf(columns[static_cast<size_t>(e.plainColumn())].type) == Storage::Boxed;
        // 1 as one: the same in all rows.
        const bool isNumber = isNumeric(keyType(e)) && key.value->kind == NodeKind::Constant;
        if (!(e.isElementwise() || isNumber) || isMixed) return false;
    }
    return plan.laterFilters.empty() &&
           planAggregates(items, plan.query->having, columns, keyNames, keyNodes, context, aggregates);
}

Ref<MemoryTable> selectGrouped(const SelectPlan& plan, Context& context, bool keysLast) {
    keysLast = keysLast && !plan.keys.empty();
    AggregatePlan aggregates;
    if (!planGroups(plan, context, aggregates)) {
        Ref<MemoryTable> reduced = selectMapReduce(plan, context);
        return reduced ? reduced : groupByGroup(plan, context);
    }
    std::vector<PartialGroups> parts;
    if (needsOtherNodes(plan.source, context)) {
        for (const Value& saved : runPartsOnNodes(plan, context)) {
            parts.push_back(loadGroups(saved, plan, aggregates, context));
        }
    } else {
        return finishGroups(plan, aggregates, groupedRows(plan, aggregates, context), keysLast, context);
    }
    Ref<MemoryTable> table = groupsTable(plan, aggregates, mergeGroups(std::move(parts), plan, aggregates, context));
    return finishGroups(plan, aggregates, std::move(table), keysLast, context);
}

}  // namespace pelorus
