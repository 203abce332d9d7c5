#include "postgres/change/prepared_change.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/check.h"
#include "interpreter/session/session.h"
#include "postgres/change/assigned_column.h"
#include "postgres/change/store_rows.h"
#include "postgres/functions/stored_text.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/select_translator.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/table/table_access.h"
#include "sql/execute.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;
using Target = std::shared_ptr<const TargetTable>;

constexpr int64_t kRowsBetweenChecks = 65'536;

AssignmentTarget assignmentTarget(const TargetTable& table, const TargetColumn& column) {
    return {table.name, column.schema.name, column.declared};
}

size_t placeOfColumn(const TargetTable& table, const TargetColumn& column) {
    return static_cast<size_t>(&column - table.columns.data());
}

// The columns that an insert names, in its order; all where it names none.
std::vector<size_t> namedColumns(const Json& body, const TargetTable& table) {
    std::vector<size_t> places;
    if (!body.contains("cols")) {
        for (size_t i = 0; i < table.columns.size(); ++i) places.push_back(i);
        return places;
    }
    for (const Json& item : body["cols"]) {
        const Json& target = bodyOf(item);
        if (target.contains("indirection"))
            throw SqlError(sql_state::kFeatureNotSupported, "parts of columns are not assigned to", placeOf(target));
        const size_t place = placeOfColumn(table, table.column(textOf(target, "name"), placeOf(target)));
        if (std::find(places.begin(), places.end(), place) != places.end())
            throw SqlError("42701", fmt::format("column \"{}\" specified more than once", textOf(target, "name")),
                           placeOf(target));
        places.push_back(place);
    }
    return places;
}

// Puts columns together to rows of the table: NULL where none was given.
Ref<MemoryTable> rowsOf(const TargetTable& table, std::vector<Value> given, int64_t count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        names.push_back(table.columns[i].schema.name);
        if (!given[i].isVoid()) continue;
        const ColumnSchema& column = table.columns[i].schema;
        if (table.columns[i].declared.isRequired && count > 0) refuseNull(column.name, table.name);
        given[i] = filledColumn(column.type, column.scale, count);
    }
    return makeRef<MemoryTable>(std::move(names), std::move(given));
}

// The rows of `insert … values`.
PreparedChange::MakeRows rowsOfCells(Target table, std::vector<size_t> places, SelectTranslator::Cells cells) {
    return [=](const StepScope& scope, Context& context) {
        const size_t count = cells.width == 0 ? 0 : cells.cells.size() / cells.width;
        std::vector<Value> columns(table->columns.size());
        Ref<MemoryTable> computed;
        if (!cells.step.empty()) computed = Ref<MemoryTable>(scope.get(cells.step).table().asMemory());
        for (size_t i = 0; i < cells.width; ++i) {
            AssignedColumn writer(*table, table->columns[places[i]]);
            for (size_t row = 0; row < count; ++row) {
                if (row % kRowsBetweenChecks == 0) context.checkCancelled();
                const SelectTranslator::Cell& cell = cells.cells[row * cells.width + i];
                if (cell.parameter != 0) {
                    writer.add(scope.get(parameterName(cell.parameter)));
                } else if (cell.column.empty()) {
                    writer.add(cell.constant);
                } else {
                    const Value* column = computed->column(cell.column);
                    CHECK(column != nullptr);
                    writer.add(column->at(0));
                }
            }
            columns[places[i]] = writer.take();
        }
        return rowsOf(*table, std::move(columns), static_cast<int64_t>(count));
    };
}

// The rows of `insert … select`: those of a step, whose columns have these names.
PreparedChange::MakeRows rowsOfStep(Target table, std::vector<size_t> places, std::string step,
                                    std::vector<std::string> names) {
    return [=](const StepScope& scope, Context& context) {
        const Value value = scope.get(step);
        const MemoryTable& rows = *value.table().asMemory();
        std::vector<Value> columns(table->columns.size());
        for (size_t i = 0; i < names.size(); ++i) {
            context.checkCancelled();
            AssignedColumn writer(*table, table->columns[places[i]]);
            writer.addAll(*rows.column(names[i]));
            columns[places[i]] = writer.take();
        }
        return rowsOf(*table, std::move(columns), rows.rowCount());
    };
}

void refuseClauses(const Json& body) {
    const auto refuse = [&](const char* member, const char* what) {
        if (body.contains(member))
            throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported", what));
    };
    refuse("withClause", "WITH before a change");
    refuse("usingClause", "DELETE … USING");
    refuse("fromClause", "UPDATE … FROM");
}

// Returns the key by which `on conflict do nothing` leaves rows out; nothing for an insert without that clause.
std::optional<std::vector<std::string>> skippedKeyOf(const Json& body, const TargetTable& target) {
    if (!body.contains("onConflictClause")) return {};
    const Json& clause = body["onConflictClause"];
    const auto refuse = [](const char* what) {
        throw SqlError(sql_state::kFeatureNotSupported, fmt::format("{} is not supported", what));
    };
    if (!target.isRowTable) refuse("ON CONFLICT of a table of columns");
    if (textOf(clause, "action") != "ONCONFLICT_NOTHING") refuse("ON CONFLICT DO UPDATE");
    std::vector<std::string> columns;
    if (!clause.contains("infer")) return columns;
    const Json& infer = clause["infer"];
    if (!infer.contains("indexElems") || infer.contains("whereClause")) refuse("ON CONFLICT of a constraint");
    for (const Json& item : infer["indexElems"]) {
        const Json& element = bodyOf(item);
        if (!element.contains("name")) refuse("ON CONFLICT of an expression");
        columns.push_back(target.column(textOf(element, "name"), placeOf(clause)).schema.name);
    }
    return columns;
}

PreparedChange::Parts bindInsert(const Json& body, Target target, Translation& translation) {
    PreparedChange::Parts parts{.tag = "INSERT",
                                .target = target,
                                .steps = {},
                                .parameterTypes = {},
                                .readTables = {},
                                .makeRows = {},
                                .query = {},
                                .returned = {},
                                .inserted = {},
                                .columns = {},
                                .skippedKey = {}};
    const std::vector<size_t> places = namedColumns(body, *target);
    std::vector<AssignmentTarget> assignments;
    for (const size_t place : places) assignments.push_back(assignmentTarget(*target, target->columns[place]));
    if (!body.contains("selectStmt")) {
        parts.makeRows = [target](const StepScope&, Context&) {
            return rowsOf(*target, std::vector<Value>(target->columns.size()), 1);
        };
        return parts;
    }
    const Json& select = bodyOf(body["selectStmt"]);
    const auto requireAll = [&](size_t given) {
        if (given < places.size() && body.contains("cols"))
            throw SqlError(sql_state::kSyntaxError, "INSERT has more target columns than expressions",
                           placeOf(bodyOf(body["cols"][given])));
    };
    SelectTranslator translator(translation, nullptr, parts.steps);
    const bool isPlainValues = select.contains("valuesLists") && !select.contains("sortClause") &&
                               !select.contains("limitCount") && !select.contains("limitOffset") &&
                               !select.contains("withClause");
    if (isPlainValues) {
        SelectTranslator::Cells cells = translator.translateCells(select["valuesLists"], assignments);
        requireAll(cells.width);
        parts.makeRows = rowsOfCells(target, places, std::move(cells));
        return parts;
    }
    const Selected selected = translator.translate(select);
    if (selected.columns.size() > places.size())
        throw SqlError(sql_state::kSyntaxError, "INSERT has more expressions than target columns");
    requireAll(selected.columns.size());
    Ref<Query> converted = makeRef<Query>(SourcePosition());
    converted->table = nameNode(selected.step);
    std::vector<std::string> names;
    for (size_t i = 0; i < selected.columns.size(); ++i) {
        const Typed value = assigned(selected.columns[i].value, assignments[i], translation.host());
        names.push_back(translation.freshName("c"));
        converted->items.push_back({value.code, {names.back()}, {}});
    }
    const std::string step = translation.freshName("pgInserted");
    parts.steps.push_back({step, converted, {}, {}});
    parts.makeRows = rowsOfStep(target, places, step, std::move(names));
    return parts;
}

PreparedChange::Parts bindChange(const Json& body, QueryVerb verb, Target target, Translation& translation) {
    PreparedChange::Parts parts{.tag = verb == QueryVerb::Update ? "UPDATE" : "DELETE",
                                .target = target,
                                .steps = {},
                                .parameterTypes = {},
                                .readTables = {},
                                .makeRows = {},
                                .query = {},
                                .returned = {},
                                .inserted = {},
                                .columns = {},
                                .skippedKey = {}};
    std::vector<AssignmentTarget> assignments;
    if (verb == QueryVerb::Update) {
        for (const Json& item : body["targetList"]) {
            const Json& given = bodyOf(item);
            if (given.contains("indirection") || kindOf(given["val"]) == "MultiAssignRef")
                throw SqlError(sql_state::kFeatureNotSupported, "columns are assigned to one by one here",
                               placeOf(given));
            const TargetColumn& column = target->column(textOf(given, "name"), placeOf(given));
            if (column.declared.keyPlace > 0 && !target->isRowTable)
                throw SqlError(sql_state::kFeatureNotSupported, "columns of a primary key are not updated",
                               placeOf(given), "Delete the row and insert it with the new key.");
            AssignmentTarget assignment = assignmentTarget(*target, column);
            if (std::any_of(assignments.begin(), assignments.end(),
                            [&](const AssignmentTarget& other) { return other.column == assignment.column; }))
                throw SqlError(sql_state::kSyntaxError,
                               fmt::format("multiple assignments to same column \"{}\"", assignment.column));
            assignments.push_back(std::move(assignment));
        }
    }
    SelectTranslator translator(translation, nullptr, parts.steps);
    parts.query = translator.translateChange(body, assignments);
    parts.query->verb = verb;
    return parts;
}

// Binds `returning`: a select from the inserted rows, as a table of the target's name or of its alias.
void bindReturning(const Json& body, Translation& translation, PreparedChange::Parts& parts) {
    if (!parts.makeRows)
        throw SqlError(sql_state::kFeatureNotSupported, fmt::format("RETURNING of {} is not supported", parts.tag), -1,
                       "INSERT has it.");
    parts.inserted = translation.freshName("pgInserted");
    std::vector<RangeColumn> columns;
    for (const TargetColumn& column : parts.target->columns)
        columns.push_back({column.schema.name,
                           columnOfType(column.schema, column.declared.shown, nameNode(column.schema.name)), false});
    const Json& relation = body["relation"];
    const std::string alias = relation.contains("alias") ? textOf(relation["alias"], "aliasname") : parts.target->name;
    const Json select = {
        {"targetList", body["returningList"]},
        {"fromClause", Json::array({{{"RangeVar", {{"relname", parts.inserted}, {"alias", {{"aliasname", alias}}}}}}})},
        {"op", "SETOP_NONE"}};
    SelectTranslator translator(translation, nullptr, parts.returned);
    translator.addTable(parts.inserted, {parts.inserted, std::move(columns)});
    const Selected selected = translator.translate(select);
    for (const RangeColumn& column : selected.columns)
        parts.columns.push_back({column.name, column.value.type, column.value.modifier});
}

// Sets the values of the names that every run has, and of its parameters.
void fillScope(StepScope& scope, std::span<const Value> parameters, const std::vector<Oid>& types) {
    setStandardNames(scope);
    setParameters(scope, parameters, types);
}

}  // namespace

Ref<MemoryTable> PreparedChange::rows(std::span<const Value> parameters, Context& context) const {
    CHECK(isInsert());
    const OneSnapshot snapshot;
    StepScope scope;
    fillScope(scope, parameters, parts_.parameterTypes);
    try {
        runSteps(parts_.steps, scope, context);
        return parts_.makeRows(scope, context);
    } catch (const Error& error) {
        throwByState(error);
    }
}

Ref<MemoryTable> PreparedChange::returned(const Ref<MemoryTable>& rows, std::span<const Value> parameters,
                                          Context& context) const {
    CHECK(!parts_.columns.empty());
    StepScope scope;
    fillScope(scope, parameters, parts_.parameterTypes);
    scope.set(parts_.inserted, Value::of(Ref<Table>(rows)));
    try {
        runSteps(parts_.returned, scope, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    return Ref<MemoryTable>(scope.get(parts_.returned.back().name).table().asMemory());
}

Ref<MemoryTable> PreparedChange::storeNew(const Ref<MemoryTable>& rows, Context& context) const {
    CHECK(skipsKnownKeys());
    return storeNewRows({parts_.target, rows}, *parts_.skippedKey, context);
}

int64_t PreparedChange::run(std::span<const Value> parameters, Context& context) const {
    if (isInsert()) {
        const Ref<MemoryTable> made = rows(parameters, context);
        storeRows({{parts_.target, made}}, context);
        return made->rowCount();
    }
    StepScope scope;
    fillScope(scope, parameters, parts_.parameterTypes);
    Session session(*context.services);
    void* const outer = std::exchange(context.session, &session);
    const Scope* const outerScope = context.scope;
    struct Restore {
        Context& context;
        void* session;
        const Scope* scope;
        ~Restore() {
            context.session = session;
            context.scope = scope;
        }
    } const restore{context, outer, outerScope};
    try {
        runSteps(parts_.steps, scope, context);
        context.scope = &scope;
        const Value target = parts_.target->open(context);
        requireAccess(context, target, parts_.query->verb == QueryVerb::Update ? Right::Update : Right::Delete);
        executeQuery(*parts_.query, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    return session.matchedRows;
}

std::string PreparedChange::tagFor(int64_t rows) const {
    return fmt::format("{} {}{}", parts_.tag, isInsert() ? "0 " : "", rows);
}

std::string PreparedChange::source() const {
    if (isInsert()) return fmt::format("insert into {}.{}", parts_.target->schema, parts_.target->name);
    return toSource(*parts_.query);
}

std::shared_ptr<const PreparedChange> prepareChange(const Statement& statement, std::span<const Oid> givenTypes,
                                                    const SessionFacts& session, Context& context) {
    const std::string_view kind = kindOf(*statement.tree);
    const Json& body = bodyOf(*statement.tree);
    refuseClauses(body);
    const Json& relation = body["relation"];
    Target target =
        findTarget(textOf(relation, "schemaname"), textOf(relation, "relname"), session, context, placeOf(relation));
    Translation translation(session, context, givenTypes);
    PreparedChange::Parts parts = kind == "InsertStmt"
                                      ? bindInsert(body, std::move(target), translation)
                                      : bindChange(body, kind == "UpdateStmt" ? QueryVerb::Update : QueryVerb::Delete,
                                                   std::move(target), translation);
    parts.skippedKey = skippedKeyOf(body, *parts.target);
    if (body.contains("returningList")) bindReturning(body, translation, parts);
    parts.parameterTypes = translation.parameterTypes();
    parts.readTables = translation.tables();
    return std::make_shared<const PreparedChange>(std::move(parts));
}

}  // namespace pelorus::postgres
