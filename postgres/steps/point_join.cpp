#include "postgres/steps/point_join.h"

#include <algorithm>
#include <utility>

#include "postgres/steps/picked_rows.h"
#include "runtime/append/row_access.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kMaxRows = 1'024;  // of the result

bool isPlain(const Query& query) {
    return query.verb == QueryVerb::Select && !query.distinct && query.groupBy.empty() &&
           query.grouping == GroupKind::None && !query.having && query.orderBy.empty() && !query.top && !query.offset &&
           !query.limit && query.unions.empty() && query.with.empty() && query.csort.empty() && query.hint == 0 &&
           !query.map;
}

// Reads the conditions of a join.
class JoinReader {
public:
    explicit JoinReader(PointJoin& join) : join_(join) {}

    bool addTable(const NodeRef& table, const std::string& alias) {
        if (!table || table->kind != NodeKind::Name) return false;
        const std::string& name = static_cast<const Name&>(*table).name;
        if (!alias.empty() && alias != name) return false;
        const auto isSame = [&](const PointLookup& other) { return other.table == name; };
        if (std::any_of(join_.tables.begin(), join_.tables.end(), isSame)) return false;
        join_.tables.emplace_back().table = name;
        return true;
    }

    bool addCondition(const NodeRef& code) {
        if (code->kind == NodeKind::Call) {
            const auto& call = static_cast<const Call&>(*code);
            const bool isCheck = call.callee->kind == NodeKind::Name &&
                                 static_cast<const Name&>(*call.callee).name == "isValid" && call.arguments.size() == 1;
            if (!isCheck) return false;
            checked_.push_back(call.arguments[0].value);
            return true;
        }
        if (code->kind != NodeKind::Binary) return false;
        const auto& binary = static_cast<const Binary&>(*code);
        if (binary.op == Operator::And) return addCondition(binary.left) && addCondition(binary.right);
        if (binary.op != Operator::Eq) return false;
        const Column left = columnIn(binary.left), right = columnIn(binary.right);
        if (!left.name.empty() && !right.name.empty()) {
            pairs_.emplace_back(left, right);
            return true;
        }
        const Column& column = left.name.empty() ? right : left;
        return !column.name.empty() && addValue(column, left.name.empty() ? binary.left : binary.right);
    }

    bool addOutput(const SelectItem& item) {
        if (!item.value || item.aliases.size() != 1) return false;
        const Column column = columnIn(item.value);
        if (column.name.empty()) return false;
        std::vector<PointLookup::Output>& outputs = join_.tables[column.table].outputs;
        join_.outputs.push_back({column.table, outputs.size()});
        join_.names.push_back(item.aliases[0]);
        outputs.push_back({column.name, "c" + std::to_string(outputs.size())});
        return true;
    }

    // Gives columns the values of those that they equal. Returns whether nothing is left to compare.
    bool finish() {
        for (size_t round = 0; round < pairs_.size(); ++round)
            for (const auto& [a, b] : pairs_)
                if (!spread(a, b)) spread(b, a);
        for (const auto& [a, b] : pairs_)
            if (conditionOf(a) == nullptr || conditionOf(b) == nullptr) return false;
        for (const PointLookup& table : join_.tables)
            if (table.conditions.empty()) return false;
        return std::all_of(checked_.begin(), checked_.end(), [&](const NodeRef& code) { return isCompared(code); });
    }

private:
    struct Column {
        size_t table = 0;
        std::string name;  // empty: it is none
    };

    Column columnIn(const NodeRef& code) const {
        for (size_t i = 0; i < join_.tables.size(); ++i)
            if (std::string name = columnOf(code, join_.tables[i].table); !name.empty()) return {i, std::move(name)};
        return {};
    }

    const PointLookup::Condition* conditionOf(const Column& column) const {
        for (const PointLookup::Condition& condition : join_.tables[column.table].conditions)
            if (condition.column == column.name) return &condition;
        return nullptr;
    }

    bool addValue(const Column& column, const NodeRef& code) {
        PointLookup::Condition condition;
        condition.column = column.name;
        if (code->kind == NodeKind::Name) {
            condition.name = static_cast<const Name&>(*code).name;
        } else if (code->kind == NodeKind::Constant) {
            condition.constant = static_cast<const Constant&>(*code).value;
            if (!condition.constant.isScalar()) return false;
        } else {
            return false;
        }
        // One value a column: two may differ.
        if (conditionOf(column) != nullptr) return false;
        join_.tables[column.table].conditions.push_back(std::move(condition));
        return true;
    }

    bool spread(const Column& from, const Column& to) {
        const PointLookup::Condition* const known = conditionOf(from);
        if (known == nullptr || conditionOf(to) != nullptr) return false;
        PointLookup::Condition condition = *known;
        condition.column = to.name;
        join_.tables[to.table].conditions.push_back(std::move(condition));
        return true;
    }

    // What is compared with a value is not NULL, and neither is the value.
    bool isCompared(const NodeRef& code) const {
        const Column column = columnIn(code);
        if (!column.name.empty()) return conditionOf(column) != nullptr;
        if (code->kind != NodeKind::Name) return false;
        const std::string& name = static_cast<const Name&>(*code).name;
        return std::any_of(join_.tables.begin(), join_.tables.end(), [&](const PointLookup& table) {
            return std::any_of(table.conditions.begin(), table.conditions.end(),
                               [&](const PointLookup::Condition& condition) { return condition.name == name; });
        });
    }

    PointJoin& join_;
    std::vector<std::pair<Column, Column>> pairs_;
    std::vector<NodeRef> checked_;
};

// Returns whether the value of each condition is of its column's own kind, so that columns which have the same value
// are equal to each other.
bool areAlike(const PointJoin& join, const StepScope& scope) {
    for (const PointLookup& lookup : join.tables) {
        Value opened;
        if (!scope.lookup(lookup.table, opened) || !opened.isTable()) return false;
        const PartitionedTable* const table = opened.table().asPartitioned();
        if (table == nullptr || dynamic_cast<const RowAccess*>(table) == nullptr) return false;
        for (const PointLookup::Condition& condition : lookup.conditions) {
            const int column = table->findColumn(condition.column);
            Value value = condition.constant;
            if (column < 0 || (!condition.name.empty() && !scope.lookup(condition.name, value))) return false;
            const Type type = table->columns()[static_cast<size_t>(column)].type;
            const auto isWhole = [](Type t) { return t == Type::Short || t == Type::Int || t == Type::Long; };
            const bool isText = type == Type::String && value.isString();
            if (!value.isScalar() || !(isText || (isWhole(type) && isWhole(value.type())))) return false;
        }
    }
    return true;
}

}  // namespace

std::shared_ptr<const PointJoin> pointJoinOf(const Query& query) {
    if (!isPlain(query) || query.joins.empty()) return nullptr;
    auto join = std::make_shared<PointJoin>();
    JoinReader reader(*join);
    if (!reader.addTable(query.table, query.tableAlias)) return nullptr;
    for (const JoinClause& clause : query.joins) {
        const bool isInner = clause.kind == JoinKind::Inner || clause.kind == JoinKind::Cross;
        if (!isInner || !reader.addTable(clause.table, clause.alias)) return nullptr;
    }
    for (const JoinClause& clause : query.joins)
        if (clause.on && !reader.addCondition(clause.on)) return nullptr;
    for (const NodeRef& condition : query.where)
        if (!reader.addCondition(condition)) return nullptr;
    for (const SelectItem& item : query.items)
        if (!reader.addOutput(item)) return nullptr;
    return reader.finish() ? join : nullptr;
}

std::optional<Value> lookUpAll(const PointJoin& join, const StepScope& scope, Context& context) {
    if (!areAlike(join, scope)) return {};
    std::vector<Ref<MemoryTable>> found;
    int64_t rows = 1;
    for (const PointLookup& lookup : join.tables) {
        const std::optional<Value> value = lookUp(lookup, scope, context);
        if (!value) return {};
        found.emplace_back(value->table().asMemory());
        rows *= found.back()->rowCount();
        if (rows > kMaxRows) return {};
    }
    // Rows of the last table follow each other for one of those before.
    std::vector<std::vector<int32_t>> positions(found.size());
    int64_t repeats = rows;
    for (size_t t = 0; rows > 0 && t < found.size(); ++t) {
        const int64_t own = found[t]->rowCount();
        repeats /= own;
        for (int64_t i = 0; i < rows; ++i) positions[t].push_back(static_cast<int32_t>(i / repeats % own));
    }
    std::vector<Value> columns;
    for (const PointJoin::Output& output : join.outputs)
        columns.push_back(gatherElements(found[output.table]->column(static_cast<int>(output.place)),
                                         positions[output.table].data(), rows));
    return Value::of(Ref<Table>(makeRef<MemoryTable>(join.names, std::move(columns))));
}

}  // namespace pelorus::postgres
