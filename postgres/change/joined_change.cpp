#include "postgres/change/joined_change.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "common/check.h"
#include "postgres/change/assigned_column.h"
#include "postgres/parse/made_nodes.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/append/row_access.h"
#include "runtime/function/principal.h"
#include "runtime/table/audited_data.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr const char* kNumber = " row";  // no name of a column begins with a blank

// Adds the names of the tables of a part of `from`.
void addTables(const Json& item, std::vector<std::string>& tables) {
    const Json& body = bodyOf(item);
    if (body.contains("alias")) {
        tables.push_back(textOf(body["alias"], "aliasname"));
    } else if (kindOf(item) == "RangeVar") {
        tables.push_back(textOf(body, "relname"));
    } else if (kindOf(item) == "JoinExpr") {
        addTables(body["larg"], tables);
        addTables(body["rarg"], tables);
    } else {
        throw SqlError(sql_state::kFeatureNotSupported, "a table without a name beside RETURNING is not supported",
                       placeOf(body), "Give it an alias.");
    }
}

}  // namespace

JoinedChange::JoinedChange(const Json& body, std::shared_ptr<const TargetTable> target, const std::string& alias,
                           const std::vector<UpdateValue>& values, Translation& translation)
    : target_(std::move(target)), erases_(values.empty()), rows_(translation.freshName("pgTarget")) {
    Json targets = Json::array({selectTarget(columnReference({alias, kNumber}))});
    for (const UpdateValue& value : values) targets.push_back(selectTarget(typedAs(*value.column, value.expression)));
    const char* const clause = erases_ ? "usingClause" : "fromClause";
    Json from = Json::array({{{"RangeVar", {{"relname", rows_}, {"alias", {{"aliasname", alias}}}}}}});
    std::vector<std::string> tables;
    if (body.contains(clause)) {
        for (const Json& item : body[clause]) {
            from.push_back(item);
            if (body.contains("returningList")) addTables(item, tables);
        }
    }
    if (std::find(tables.begin(), tables.end(), alias) != tables.end())
        throw SqlError("42712", fmt::format("table name \"{}\" specified more than once", alias));
    // A column of its own ends the columns of each table.
    for (const std::string& table : tables) {
        targets.push_back(selectTarget(starReference(table)));
        targets.push_back(selectTarget(columnReference({alias, kNumber}), kNumber));
    }
    Json select = {{"targetList", std::move(targets)}, {"fromClause", std::move(from)}, {"op", "SETOP_NONE"}};
    for (const char* member : {"whereClause", "withClause"})
        if (body.contains(member)) select[member] = body[member];
    bind(select, values, tables, translation);
}

void JoinedChange::bind(const Json& select, const std::vector<UpdateValue>& values,
                        const std::vector<std::string>& tables, Translation& translation) {
    std::vector<RangeColumn> columns;
    for (const TargetColumn& column : target_->columns)
        columns.push_back({column.schema.name,
                           columnOfType(column.schema, column.declared.shown, nameNode(column.schema.name)), false});
    columns.push_back({kNumber, typedCode(nameNode(kNumber), oid::kInt4), false});
    SelectTranslator translator(translation, nullptr, steps_);
    translator.addTable(rows_, {rows_, std::move(columns)});
    const Selected selected = translator.translate(select);
    // The new values in the types of their columns.
    Ref<Query> converted = makeRef<Query>(SourcePosition());
    converted->table = nameNode(selected.step);
    size_t table = 0;
    for (size_t i = 0; i < selected.columns.size(); ++i) {
        const RangeColumn& column = selected.columns[i];
        if (i > values.size() && column.name == kNumber) {
            ++table;
            continue;
        }
        const std::string name = translation.freshName("c");
        NodeRef code = column.value.code;
        if (i == 0) {
            number_ = name;
        } else if (i <= values.size()) {
            const TargetColumn& to = *values[i - 1].column;
            code = assigned(column.value, {target_->name, to.schema.name, to.declared}, translation.host()).code;
            assigned_.push_back({static_cast<size_t>(&to - target_->columns.data()), name});
        } else {
            others_.push_back({tables[table], column.name, column});
            others_.back().met.name = fmt::format(" {}.{}", tables[table], column.name);
            others_.back().met.value.code = nameNode(name);
        }
        converted->items.push_back({std::move(code), {name}, {}});
    }
    steps_.push_back({translation.freshName("pgAssigned"), converted, {}, {}});
}

int64_t JoinedChange::run(const StepScope& scope, const TakesMet& takesMet, Context& context) const {
    const Value opened = target_->open(context);
    PartitionedTable& table = *opened.table().asPartitioned();
    table.require(context.principal(), erases_ ? Right::Delete : Right::Update);
    table.require(context.principal(), Right::Read);
    AuditedData audited(context, erases_ ? "SQL_DELETE" : "SQL_UPDATE", table, std::string_view(),
                        AuditedChange::Durability::Unsynced);
    ChangeStatement change;
    change.table = target_->name;
    change.fixed = [] { return std::vector<ColumnConstraint>(); };
    change.compute = [&](const RowAccess::Rows& seen) { return compute(seen.rows, scope, context); };
    change.takesMet = takesMet;
    const int64_t count = changeRowsBy(change, dynamic_cast<RowAccess&>(table), context);
    audited.done(fmt::format("{}={}", erases_ ? "deletedRows" : "updatedRows", count));
    return count;
}

ComputedChange JoinedChange::compute(const Ref<MemoryTable>& rows, const StepScope& outer, Context& context) const {
    const Ref<MemoryTable> numbered = rows->copy();
    std::vector<int32_t> numbers(static_cast<size_t>(rows->rowCount()));
    std::iota(numbers.begin(), numbers.end(), 0);
    numbered->setColumn(kNumber, Value::of(Vector::of(Type::Int, numbers)));
    StepScope scope(&outer);
    scope.set(rows_, Value::of(Ref<Table>(numbered)));
    runSteps(steps_, scope, context);
    const Value result = scope.get(steps_.back().name);
    const MemoryTable& joined = *result.table().asMemory();
    const Value* const joinedNumbers = joined.column(number_);
    CHECK(joinedNumbers != nullptr) << "the last step has the numbers";
    // Of each row the first joined one; -1: none.
    std::vector<int32_t> first(numbers.size(), -1);
    for (int32_t i = 0; i < joined.rowCount(); ++i) {
        int32_t& own = first[static_cast<size_t>(joinedNumbers->vector().asLong(i))];
        if (own < 0) own = i;
    }
    ComputedChange change;
    change.update.erases = erases_;
    for (size_t i = 0; i < first.size(); ++i)
        if (first[i] >= 0) change.matched.push_back(static_cast<int32_t>(i));
    change.count = static_cast<int64_t>(change.matched.size());
    change.met = rows->copy();
    for (const Assigned& assigned : assigned_) {
        AssignedColumn writer(*target_, target_->columns[assigned.place]);
        writer.addAll(*joined.column(assigned.value));
        const Value values = writer.take();
        const auto place = static_cast<int>(assigned.place);
        Value column = rows->column(place);
        column.makeUnique();
        for (const int32_t row : change.matched) column.vector().set(row, values.at(first[static_cast<size_t>(row)]));
        change.met->mutableColumns()[assigned.place] = column;
        change.update.columns.emplace_back(place, std::move(column));
    }
    if (erases_) {
        change.update.positions = change.matched;
    } else {
        change.chooseChanged(*rows);
    }
    for (const OtherColumn& other : others_) {
        const Value* const column = joined.column(static_cast<const Name&>(*other.met.value.code).name);
        change.met->setColumn(other.met.name,
                              gatherElements(*column, first.data(), static_cast<int64_t>(first.size())));
    }
    return change;
}

// Makes a name of another table's column that of the column of `met`.
static void resolveOther(Json& node, const TargetTable& target, const std::vector<JoinedChange::OtherColumn>& others) {
    if (!node.is_structured() || kindOf(node) == "SubLink") return;  // names in a sub-query may be its own
    if (kindOf(node) != "ColumnRef") {
        for (Json& item : node) resolveOther(item, target, others);
        return;
    }
    const std::vector<std::string> names = namesOf(bodyOf(node)["fields"]);
    if (names.size() > 2) return;
    const std::string table = names.size() == 2 ? names[0] : "";
    const auto isMeant = [&](const JoinedChange::OtherColumn& other) {
        return other.name == names.back() && (table.empty() || other.table == table);
    };
    const auto count = std::count_if(others.begin(), others.end(), isMeant);
    if (count == 0) return;
    const bool isOwn = table.empty() && std::any_of(target.columns.begin(), target.columns.end(),
                                                    [&](const auto& own) { return own.schema.name == names.back(); });
    if (count > 1 || isOwn)
        throw SqlError(sql_state::kAmbiguousColumn, fmt::format("column reference \"{}\" is ambiguous", names.back()),
                       placeOf(bodyOf(node)));
    node = columnReference({std::find_if(others.begin(), others.end(), isMeant)->met.name});
}

Json withOtherColumns(Json list, const std::string& alias, const TargetTable& target,
                      const std::vector<JoinedChange::OtherColumn>& others) {
    Json result = Json::array();
    for (Json& item : list) {
        Json& given = *item.begin();
        const Json& value = given["val"];
        const bool isColumn = kindOf(value) == "ColumnRef";
        const bool isStar = isColumn && kindOf(bodyOf(value)["fields"].back()) == "A_Star";
        const size_t words = isColumn ? bodyOf(value)["fields"].size() : 0;
        const std::string table = isStar && words == 2 ? wordOf(bodyOf(value)["fields"][0]) : "";
        if (isStar && (table.empty() || table == alias)) {
            for (const TargetColumn& column : target.columns)
                result.push_back(selectTarget(columnReference({alias, column.schema.name})));
        }
        if (isStar && table != alias) {
            for (const JoinedChange::OtherColumn& other : others)
                if (table.empty() || other.table == table)
                    result.push_back(selectTarget(columnReference({other.met.name}), other.name));
        }
        if (isStar) continue;
        if (isColumn && !given.contains("name")) given["name"] = wordOf(bodyOf(value)["fields"].back());
        resolveOther(given["val"], target, others);
        result.push_back(std::move(item));
    }
    return result;
}

}  // namespace pelorus::postgres
