#include "postgres/steps/point_lookup.h"

#include <algorithm>
#include <utility>

#include "postgres/steps/picked_rows.h"
#include "runtime/append/indexed_snapshot.h"
#include "runtime/append/row_access.h"
#include "runtime/table/table.h"
#include "runtime/table/table_access.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/vector.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

namespace {

bool takeValue(const NodeRef& code, PointLookup::Condition& condition) {
    if (code->kind == NodeKind::Name) {
        condition.name = static_cast<const Name&>(*code).name;
        return true;
    }
    if (code->kind != NodeKind::Constant) return false;
    condition.constant = static_cast<const Constant&>(*code).value;
    return condition.constant.isScalar();
}

// Adds an equality, or those that `and` joins, and what is asked not to be NULL. Returns false for any other condition.
bool takeCondition(const NodeRef& code, PointLookup& lookup, std::vector<std::string>& notNull) {
    if (code->kind == NodeKind::Call) {
        const auto& call = static_cast<const Call&>(*code);
        const bool isCheck = call.callee->kind == NodeKind::Name &&
                             static_cast<const Name&>(*call.callee).name == "isValid" && call.arguments.size() == 1;
        if (!isCheck) return false;
        const NodeRef& checked = call.arguments[0].value;
        notNull.push_back(checked->kind == NodeKind::Name ? static_cast<const Name&>(*checked).name
                                                          : columnOf(checked, lookup.table));
        return !notNull.back().empty();
    }
    if (code->kind != NodeKind::Binary) return false;
    const auto& binary = static_cast<const Binary&>(*code);
    if (binary.op == Operator::And)
        return takeCondition(binary.left, lookup, notNull) && takeCondition(binary.right, lookup, notNull);
    if (binary.op != Operator::Eq) return false;
    PointLookup::Condition condition;
    condition.column = columnOf(binary.left, lookup.table);
    const bool isReversed = condition.column.empty();
    if (isReversed) condition.column = columnOf(binary.right, lookup.table);
    if (condition.column.empty() || !takeValue(isReversed ? binary.left : binary.right, condition)) return false;
    lookup.conditions.push_back(std::move(condition));
    return true;
}

bool isPlain(const Query& query) {
    return query.verb == QueryVerb::Select && !query.distinct && query.joins.empty() && query.groupBy.empty() &&
           query.grouping == GroupKind::None && !query.having && query.orderBy.empty() && !query.top && !query.offset &&
           !query.limit && query.unions.empty() && query.with.empty() && query.csort.empty();
}

// The key of the table as the conditions give it, in the order of its columns; nothing where they are others, or a
// value is of another type.
std::optional<std::vector<Value>> keyOf(const PointLookup& lookup, const MemoryTable& table, const StepScope& scope) {
    const std::vector<std::string>& names = table.keys()->columns();
    if (names.size() != lookup.conditions.size()) return {};
    std::vector<Value> key;
    for (const std::string& name : names) {
        const auto found =
            std::find_if(lookup.conditions.begin(), lookup.conditions.end(),
                         [&](const PointLookup::Condition& condition) { return condition.column == name; });
        if (found == lookup.conditions.end()) return {};
        Value value = found->constant;
        if (!found->name.empty() && !scope.lookup(found->name, value)) return {};
        const Type type = table.columns()[static_cast<size_t>(table.findColumn(name))].type;
        const bool isText = type == Type::Symbol && value.type() == Type::String;
        if (!value.isScalar() || value.isNull() || (value.type() != type && !isText)) return {};
        key.push_back(Value::of(Vector::filled(type, 1, value)));
    }
    return key;
}

}  // namespace

std::shared_ptr<const PointLookup> pointLookupOf(const Query& query) {
    if (!isPlain(query) || query.where.empty() || !query.table || query.table->kind != NodeKind::Name) return nullptr;
    auto lookup = std::make_shared<PointLookup>();
    lookup->table = static_cast<const Name&>(*query.table).name;
    if (!query.tableAlias.empty() && query.tableAlias != lookup->table) return nullptr;
    std::vector<std::string> notNull;
    for (const NodeRef& condition : query.where)
        if (!takeCondition(condition, *lookup, notNull)) return nullptr;
    // A key that is looked for has no NULL: what stands in no equality must be asked.
    for (const std::string& name : notNull)
        if (std::none_of(
                lookup->conditions.begin(), lookup->conditions.end(),
                [&](const PointLookup::Condition& equal) { return equal.column == name || equal.name == name; }))
            return nullptr;
    for (const SelectItem& item : query.items) {
        std::string column = columnOf(item.value, lookup->table);
        if (column.empty() || item.aliases.size() != 1) return nullptr;
        lookup->outputs.push_back({std::move(column), item.aliases[0]});
    }
    return lookup->outputs.empty() || lookup->conditions.empty() ? nullptr : lookup;
}

// Returns the value of a condition in this run; VOID where it has none.
static Value valueOf(const PointLookup::Condition& condition, const StepScope& scope) {
    Value value = condition.constant;
    if (!condition.name.empty() && !scope.lookup(condition.name, value)) return {};
    return value;
}

// Returns the equalities of the look-up over columns of the table; nothing where a value is NULL or no scalar.
static std::optional<std::vector<ColumnConstraint>> equalitiesOf(const PointLookup& lookup, const Table& table,
                                                                 const StepScope& scope) {
    std::vector<ColumnConstraint> equalities;
    for (const PointLookup::Condition& condition : lookup.conditions) {
        Value value = valueOf(condition, scope);
        const int column = table.findColumn(condition.column);
        if (column < 0 || value.isVoid() || !value.isScalar() || value.isNull()) return {};
        equalities.push_back(columnEquals(column, std::move(value)));
    }
    return equalities;
}

// Looks rows of a row table up by one of its indexes.
static std::optional<Value> lookUpStored(const PointLookup& lookup, const PartitionedTable& table,
                                         const StepScope& scope, Context& context) {
    if (dynamic_cast<const RowAccess*>(&table) == nullptr) return {};
    // Before the equalities: the columns of the table are those of the snapshot while it lives.
    const std::shared_ptr<TableSnapshot> snapshot = snapshotForQuery(table, context.principal());
    const auto* const indexed = dynamic_cast<const IndexedSnapshot*>(snapshot.get());
    const auto equalities = equalitiesOf(lookup, table, scope);
    if (indexed == nullptr || !equalities) return {};
    std::vector<int> columns;
    std::vector<std::string> names;
    for (const PointLookup::Output& output : lookup.outputs) {
        columns.push_back(table.findColumn(output.column));
        names.push_back(output.name);
        if (columns.back() < 0) return {};
    }
    std::optional<std::vector<Value>> values = indexed->lookUp(*equalities, columns);
    if (!values) return {};
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(*values))));
}

std::optional<Value> lookUp(const PointLookup& lookup, const StepScope& scope, Context& context) {
    Value opened;
    if (!scope.lookup(lookup.table, opened) || !opened.isTable()) return {};
    if (const PartitionedTable* stored = opened.table().asPartitioned())
        return lookUpStored(lookup, *stored, scope, context);
    MemoryTable* table = opened.table().asMemory();
    if (table == nullptr || table->keys() == nullptr || !table->keys()->timeColumn().empty()) return {};
    requireAccess(context, *table, Right::Read);
    const OptionalLock guard(table->lock.get());
    const std::optional<std::vector<Value>> key = keyOf(lookup, *table, scope);
    if (!key) return {};
    const std::vector<int32_t> rows = table->keys()->find(*table, *key);
    const int64_t count = !rows.empty() && rows[0] >= 0 ? 1 : 0;
    std::vector<std::string> names;
    std::vector<Value> columns;
    for (const PointLookup::Output& output : lookup.outputs) {
        const Value* column = table->column(output.column);
        if (column == nullptr) return {};
        names.push_back(output.name);
        columns.push_back(gatherElements(*column, rows.data(), count));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

}  // namespace pelorus::postgres
