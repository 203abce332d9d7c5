#include "postgres/definition/view_definition.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/definition/temporary_tables.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/translate/prepared_query.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

// Returns the place behind a quoted name, a comment or a parenthesis that begins at `at`, else the next place.
size_t behindPart(std::string_view text, size_t at) {
    const auto behind = [&](std::string_view end) {
        const size_t found = text.find(end, at + end.size());
        return found == std::string_view::npos ? text.size() : found + end.size();
    };
    if (text[at] == '"') return behind("\"");
    if (text.substr(at).starts_with("--")) return std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text.substr(at).starts_with("/*")) {
        int depth = 0;
        for (; at < text.size(); ++at) {
            if (text.substr(at).starts_with("/*"))
                ++depth, ++at;
            else if (text.substr(at).starts_with("*/") && (++at, --depth == 0))
                return at + 1;
        }
        return text.size();
    }
    return at + 1;
}

// Returns what stands behind the word AS: it is none of the words before the query.
std::string queryIn(std::string_view text) {
    const auto isLetter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
    };
    for (size_t at = 0; at < text.size();) {
        if (!isLetter(text[at])) {
            at = behindPart(text, at);
            continue;
        }
        size_t end = at;
        while (end < text.size() && isLetter(text[end])) ++end;
        const bool isAs = end - at == 2 && std::tolower(text[at]) == 'a' && std::tolower(text[at + 1]) == 's';
        if (isAs) return std::string(text.substr(end));
        at = end;
    }
    throw SqlError(sql_state::kSyntaxError, "CREATE VIEW needs AS before its query");
}

void refuseForms(const Json& body) {
    if (body.contains("withCheckOption") && textOf(body, "withCheckOption") != "NO_CHECK_OPTION")
        refuseDefinition("WITH CHECK OPTION", "Rows are not changed through views.");
}

std::vector<ViewedColumn> columnsOf(const PreparedQuery& query, const Json& body) {
    const std::vector<std::string> names =
        body.contains("aliases") ? namesOf(body["aliases"]) : std::vector<std::string>();
    if (names.size() > query.columns().size())
        throw SqlError(sql_state::kSyntaxError, "CREATE VIEW specifies more column names than columns");
    std::vector<ViewedColumn> columns;
    std::set<std::string> known;
    for (const OutputColumn& column : query.columns()) {
        const size_t place = columns.size();
        const std::string& name = place < names.size() ? names[place] : column.label;
        if (!known.insert(name).second)
            throw SqlError("42701", fmt::format("column \"{}\" specified more than once", name));
        const Oid type = column.type == oid::kUnknown ? oid::kText : column.type;
        columns.push_back({name, column.label, type, column.modifier});
    }
    return columns;
}

// A replacement has the columns that are there, and may have more.
void requireSameColumns(const ViewEntry& before, const ViewEntry& after) {
    if (after.columns.size() < before.columns.size()) throw SqlError("42P16", "cannot drop columns from view");
    for (size_t i = 0; i < before.columns.size(); ++i) {
        const ViewedColumn &was = before.columns[i], &is = after.columns[i];
        if (was.name != is.name)
            throw SqlError("42P16",
                           fmt::format("cannot change name of view column \"{}\" to \"{}\"", was.name, is.name), -1,
                           "Drop the view first.");
        if (was.type != is.type || was.modifier != is.modifier)
            throw SqlError("42P16", fmt::format("cannot change data type of view column \"{}\"", was.name), -1,
                           "Drop the view first.");
    }
}

bool isAmong(const std::vector<ViewSource>& sources, const ViewSource& source) {
    return std::find(sources.begin(), sources.end(), source) != sources.end();
}

}  // namespace

void createView(const Statement& statement, DefinitionScope& scope) {
    const Json& body = bodyOf(*statement.tree);
    refuseForms(body);
    const std::string name = textOf(body["view"], "relname");
    const std::string schema = scope.schemaFor(writtenSchema(body["view"]));
    ViewEntry view;
    view.query = queryIn(statement.text);
    const auto parsed = parseStatements(view.query);
    // The parser makes another query of a recursive view than its text says.
    if (parsed.size() != 1 || parsed[0]->kind != StatementKind::Query) refuseDefinition("this form of CREATE VIEW");
    if (bodyOf(body["query"]).contains("withClause") != bodyOf(*parsed[0]->tree).contains("withClause"))
        refuseDefinition("a recursive view");
    const auto query = prepareQuery(*parsed[0], {}, scope.session, scope.context);
    if (!query->parameterTypes().empty())
        throw SqlError(sql_state::kUndefinedParameter, "there is no parameter $1: a view has none");
    if (query->locksRows()) refuseDefinition("FOR UPDATE in a view");
    view.columns = columnsOf(*query, body);
    view.searchPath = schemasOfPath(scope.session, scope.context);
    for (const TableName& table : query->tables()) {
        ViewSource source{databaseOfSchema(table.schema), table.name};
        if (!isAmong(view.reads, source)) view.reads.push_back(std::move(source));
    }
    view.name = name;
    const std::optional<ViewEntry> before = viewIn(schema, name, scope.context);
    if (before && flagOf(body, "replace")) {
        requireSameColumns(*before, view);
        view.revision = before->revision;
    } else if (scope.exists(schema, name)) {
        throw before || !flagOf(body, "replace")
            ? SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", name))
            : SqlError("42809", fmt::format("\"{}\" is not a view", name));
    }
    view.database = scope.databaseToCreateIn(schema);
    if (isAmong(view.reads, {view.database, name}))
        throw SqlError("42P17", fmt::format("infinite recursion detected in rules for relation \"{}\"", name));
    scope.databases().views().put(view);
}

void releaseFromViews(const std::string& what, const ViewSource& source, bool cascades,
                      const std::vector<ViewSource>& besides, DefinitionScope& scope) {
    for (const ViewEntry& view : viewsReading(source.database, source.name, scope.context)) {
        const ViewSource own{view.database, view.name};
        if (isAmong(besides, own)) continue;
        if (!cascades) {
            SqlError error("2BP01",
                           fmt::format("cannot drop {} {} because other objects depend on it", what, source.name), -1,
                           "Use DROP ... CASCADE to drop the dependent objects too.");
            error.setDetail(fmt::format("view {} depends on {} {}", view.name, what, source.name));
            throw error;
        }
        requireOnDatabase(scope.context, view.database, Right::CreateObject);
        releaseFromViews("view", own, true, besides, scope);
        scope.note("00000", fmt::format("drop cascades to view {}", view.name));
        scope.databases().views().drop(view.database, view.name);
    }
}

void dropViews(const Json& body, DefinitionScope& scope) {
    std::vector<ViewSource> dropped;
    for (const Json& object : body["objects"]) {
        const std::vector<std::string> names = namesOf(bodyOf(object)["items"]);
        const std::string schema = names.size() > 1 ? names[names.size() - 2] : "";
        const auto view = findView(schema, names.back(), scope.session, scope.context);
        if (view) {
            requireOnDatabase(scope.context, view->database, Right::CreateObject);
            dropped.push_back({view->database, view->name});
            continue;
        }
        if (scope.exists(scope.schemaFor(schema), names.back()))
            throw SqlError("42809", fmt::format("\"{}\" is not a view", names.back()));
        const std::string message = fmt::format("view \"{}\" does not exist", names.back());
        if (!flagOf(body, "missing_ok")) throw SqlError(sql_state::kUndefinedTable, message);
        scope.note("00000", message + ", skipping");
    }
    const bool cascades = textOf(body, "behavior") == "DROP_CASCADE";
    for (const ViewSource& view : dropped) releaseFromViews("view", view, cascades, dropped, scope);
    for (const ViewSource& view : dropped) scope.databases().views().drop(view.database, view.name);
}

}  // namespace pelorus::postgres
