#include "postgres/change/prepared_change.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "common/check.h"
#include "interpreter/session/session.h"
#include "postgres/change/conflict_clause.h"
#include "postgres/change/insert_rows.h"
#include "postgres/change/joined_change.h"
#include "postgres/change/store_rows.h"
#include "postgres/change/update_values.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "postgres/translate/select_translator.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/table/table_access.h"
#include "sql/change/bound_change.h"
#include "sql/execute.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;
using Target = std::shared_ptr<const TargetTable>;

// Returns the name by which the statement knows its table.
std::string aliasOf(const Json& body, const TargetTable& target) {
    const Json& relation = body["relation"];
    return relation.contains("alias") ? textOf(relation["alias"], "aliasname") : target.name;
}

// Returns whether `with` gives a query the name of the changed table, which it hides in all sources but the target.
bool hidesTarget(const Json& body, const Json& relation) {
    if (!body.contains("withClause")) return false;
    const Json& queries = body["withClause"]["ctes"];
    return std::any_of(queries.begin(), queries.end(), [&](const Json& query) {
        return textOf(bodyOf(query), "ctename") == textOf(relation, "relname");
    });
}

// Returns an insert without `with`: its queries are those of the select list's own, which come behind.
Json withQueriesInside(Json body) {
    const Json outer = std::move(body["withClause"]);
    body.erase("withClause");
    if (!body.contains("selectStmt")) return body;
    Json& own = body["selectStmt"]["SelectStmt"]["withClause"];
    Json queries = outer["ctes"];
    const bool isRecursive = flagOf(outer, "recursive") || flagOf(own, "recursive");
    if (own.contains("ctes"))
        for (Json& query : own["ctes"]) queries.push_back(std::move(query));
    own = {{"ctes", std::move(queries)}, {"recursive", isRecursive}};
    return body;
}

// Binds the condition and the new values of an update or delete.
void bindChange(const Json& given, QueryVerb verb, Translation& translation, PreparedChange::Parts& parts) {
    const TargetTable& target = *parts.target;
    Json body = given;
    std::vector<UpdateValue> values;
    std::vector<AssignmentTarget> assignments;
    if (verb == QueryVerb::Update) {
        values = updateValues(given["targetList"], target);
        for (size_t i = 0; i < values.size(); ++i) {
            const TargetColumn& column = *values[i].column;
            if (column.declared.keyPlace > 0 && !target.isRowTable)
                throw SqlError(sql_state::kFeatureNotSupported, "columns of a primary key are not updated",
                               placeOf(bodyOf(given["targetList"][i])),
                               "Delete the row and insert it with the new key.");
            body["targetList"][i]["ResTarget"]["val"] = values[i].expression;
            assignments.push_back({target.name, column.schema.name, column.declared, target.isRowTable});
        }
    }
    const bool isJoined =
        given.contains("fromClause") || given.contains("usingClause") || hidesTarget(given, given["relation"]);
    if (isJoined && !target.isRowTable)
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("{} of a table of columns is not supported",
                                   verb == QueryVerb::Update ? "UPDATE … FROM" : "DELETE … USING"),
                       -1, "Name the rows by a sub-query, as in WHERE id IN (SELECT …).");
    if (!isJoined) {
        SelectTranslator translator(translation, nullptr, parts.steps);
        parts.query = translator.translateChange(body, assignments);
    }
    if (parts.query) {
        parts.query->verb = verb;
        if (target.isRowTable) parts.kept = std::make_shared<const KeptChange>(parts.query);
        return;
    }
    if (!target.isRowTable)
        throw SqlError(sql_state::kFeatureNotSupported,
                       "a sub-query of a change that reads columns of the changed row is not supported");
    parts.steps.clear();
    parts.joined =
        std::make_shared<const JoinedChange>(given, parts.target, aliasOf(given, target), values, translation);
}

// Returns the places of the columns that a select list names, where it has nothing but columns of the table.
std::vector<int> plainColumns(const Json& list, const std::string& alias, const TargetTable& target) {
    std::vector<int> places;
    for (const Json& item : list) {
        const Json& value = bodyOf(item)["val"];
        if (kindOf(value) != "ColumnRef") return {};
        const std::vector<std::string> names = namesOf(bodyOf(value)["fields"]);
        if (names.size() > 2 || (names.size() == 2 && names[0] != alias)) return {};
        if (names.back() == "*") {
            for (size_t i = 0; i < target.columns.size(); ++i) places.push_back(static_cast<int>(i));
            continue;
        }
        places.push_back(static_cast<int>(&target.column(names.back(), -1) - target.columns.data()));
    }
    return places;
}

// Binds `returning`: a select from the rows that are written, as a table of the target's name or of its alias.
void bindReturning(const Json& body, Translation& translation, PreparedChange::Parts& parts) {
    if (!parts.makeRows && !parts.target->isRowTable)
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("RETURNING of {} of a table of columns is not supported", parts.tag), -1,
                       "INSERT has it, and row tables have it.");
    parts.met = translation.freshName("pgMet");
    std::vector<RangeColumn> columns;
    for (const TargetColumn& column : parts.target->columns) {
        columns.push_back({column.schema.name,
                           columnOfType(column.schema, column.declared.shown, nameNode(column.schema.name)), false});
        columns.back().value.isEmptyNull = !parts.target->isRowTable;
    }
    const std::string alias = aliasOf(body, *parts.target);
    Json list = body["returningList"];
    if (parts.joined) {
        list = withOtherColumns(std::move(list), alias, *parts.target, parts.joined->otherColumns());
        for (const JoinedChange::OtherColumn& other : parts.joined->otherColumns()) {
            columns.push_back(other.met);
            columns.back().value.code = nameNode(other.met.name);
        }
    }
    const Json select = {
        {"targetList", list},
        {"fromClause", Json::array({{{"RangeVar", {{"relname", parts.met}, {"alias", {{"aliasname", alias}}}}}}})},
        {"op", "SETOP_NONE"}};
    SelectTranslator translator(translation, nullptr, parts.returned);
    translator.addTable(parts.met, {parts.met, std::move(columns)});
    const Selected selected = translator.translate(select);
    for (const RangeColumn& column : selected.columns)
        parts.columns.push_back({column.name, column.value.type, column.value.modifier});
    if (parts.joined && !parts.joined->otherColumns().empty()) return;
    parts.plainColumns = plainColumns(body["returningList"], alias, *parts.target);
    if (parts.plainColumns.size() != parts.columns.size()) parts.plainColumns.clear();
}

// Sets the values of the names that every run has, and of its parameters.
void fillScope(StepScope& scope, std::span<const Value> parameters, const std::vector<Oid>& types) {
    setStandardNames(scope);
    setParameters(scope, parameters, types);
}

}  // namespace

Ref<MemoryTable> PreparedChange::rows(std::span<const Value> parameters, Context& context) const {
    CHECK(isInsert());
    parts_.target->requireUnchanged(context);
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
    if (!parts_.plainColumns.empty()) {
        std::vector<std::string> names;
        std::vector<Value> columns;
        for (const int place : parts_.plainColumns) {
            names.push_back("c" + std::to_string(names.size()));
            columns.push_back(rows->column(place));
        }
        return makeRef<MemoryTable>(std::move(names), std::move(columns));
    }
    StepScope scope;
    fillScope(scope, parameters, parts_.parameterTypes);
    scope.set(parts_.met, Value::of(Ref<Table>(rows)));
    try {
        runSteps(parts_.returned, scope, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    return Ref<MemoryTable>(scope.get(parts_.returned.back().name).table().asMemory());
}

PreparedChange::Done PreparedChange::insert(std::span<const Value> parameters, Context& context) const {
    Done done;
    const Ref<MemoryTable> made = rows(parameters, context);
    const auto compute = [&](const Ref<MemoryTable>& written) {
        if (!columns().empty()) done.returned = returned(written, parameters, context);
    };
    if (!parts_.conflict) {
        compute(made);
        storeRows({{parts_.target, made}}, context);
        done.count = made->rowCount();
        return done;
    }
    StepScope scope;
    fillScope(scope, parameters, parts_.parameterTypes);
    std::vector<int32_t> kept;
    try {
        done.count = parts_.conflict->store(made, scope, compute, kept, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    if (done.returned && done.returned->rowCount() != done.count)
        done.returned = done.returned->gather(kept.data(), static_cast<int64_t>(kept.size()));
    return done;
}

// Makes an update or delete of one table, and returns the number of rows that it met.
int64_t PreparedChange::change(StepScope& scope, const std::function<void(const Ref<MemoryTable>& met)>& takesMet,
                               Context& context) const {
    struct Restore {
        Context& context;
        void* const session;
        const Scope* const scope;
        ~Restore() {
            context.session = session;
            context.scope = scope;
        }
    } const restore{context, context.session, context.scope};
    const bool isAlone = parts_.steps.size() == 1 && parts_.steps[0].opensTable;
    if (!isAlone) runSteps(parts_.steps, scope, context);
    context.scope = &scope;
    const Value target = parts_.target->open(context);
    requireAccess(context, target, parts_.query->verb == QueryVerb::Update ? Right::Update : Right::Delete);
    if (!columns().empty()) requireAccess(context, target, Right::Read);
    if (parts_.kept) {
        if (const std::optional<int64_t> count = parts_.kept->run(target, takesMet, context)) return *count;
    }
    if (isAlone) runSteps(parts_.steps, scope, context);
    Session session(*context.services);
    session.takesMetRows = takesMet;
    context.session = &session;
    executeQuery(*parts_.query, context);
    return session.matchedRows;
}

PreparedChange::Done PreparedChange::run(std::span<const Value> parameters, Context& context) const {
    if (isInsert()) return insert(parameters, context);
    parts_.target->requireUnchanged(context);
    Done done;
    StepScope scope;
    fillScope(scope, parameters, parts_.parameterTypes);
    if (parts_.joined) {
        JoinedChange::TakesMet takesMet;
        if (!columns().empty())
            takesMet = [&](const Ref<MemoryTable>& met) { done.returned = returned(met, parameters, context); };
        try {
            done.count = parts_.joined->run(scope, takesMet, context);
        } catch (const Error& error) {
            throwByState(error);
        }
        return done;
    }
    std::function<void(const Ref<MemoryTable>& met)> takesMet;
    if (!columns().empty())
        takesMet = [&](const Ref<MemoryTable>& met) { done.returned = returned(met, parameters, context); };
    try {
        done.count = change(scope, takesMet, context);
    } catch (const Error& error) {
        throwByState(error);
    }
    return done;
}

bool PreparedChange::isStillMeant(const SessionFacts& session, Context& context) const {
    CHECK(isShareable());
    return areStillFound(*parts_.findings, session, context);
}

std::string PreparedChange::tagFor(int64_t rows) const {
    return fmt::format("{} {}{}", parts_.tag, isInsert() ? "0 " : "", rows);
}

std::string PreparedChange::source() const {
    if (isInsert()) return fmt::format("insert into {}.{}", parts_.target->schema, parts_.target->name);
    if (parts_.joined) return fmt::format("{} {}.{}", parts_.tag, parts_.target->schema, parts_.target->name);
    return toSource(*parts_.query);
}

std::shared_ptr<const PreparedChange> prepareChange(const Statement& statement, std::span<const Oid> givenTypes,
                                                    const SessionFacts& session, Context& context) {
    const std::string_view kind = kindOf(*statement.tree);
    const Json& given = bodyOf(*statement.tree);
    std::optional<Json> moved;
    if (kind == "InsertStmt" && given.contains("withClause")) moved = withQueriesInside(given);
    const Json& body = moved ? *moved : given;
    const Json& relation = body["relation"];
    const TableName written = {textOf(relation, "schemaname"), textOf(relation, "relname")};
    requireTable(written, session, context, placeOf(relation));
    FoundTable found = findTable(written.schema, written.name, session, context, placeOf(relation));
    Translation translation(session, context, givenTypes);
    translation.noteTarget({written, found});
    PreparedChange::Parts parts;
    parts.target = targetOf(std::move(found));
    if (kind == "InsertStmt") {
        parts.tag = "INSERT";
        if (body.contains("onConflictClause")) ConflictClause::requireTarget(body["onConflictClause"]);
        bindRows(body, statement.literalRows.get(), translation, parts);
        if (body.contains("onConflictClause"))
            parts.conflict = std::make_shared<const ConflictClause>(body["onConflictClause"], parts.target,
                                                                    aliasOf(body, *parts.target), translation);
    } else {
        const QueryVerb verb = kind == "UpdateStmt" ? QueryVerb::Update : QueryVerb::Delete;
        parts.tag = verb == QueryVerb::Update ? "UPDATE" : "DELETE";
        bindChange(body, verb, translation, parts);
    }
    if (body.contains("returningList")) bindReturning(body, translation, parts);
    parts.parameterTypes = translation.parameterTypes();
    parts.readTables = translation.tables();
    parts.locksRows = translation.locksRows();
    if (!parts.joined) parts.findings = translation.findings();
    return std::make_shared<const PreparedChange>(std::move(parts));
}

}  // namespace pelorus::postgres
