#include "postgres/definition/query_table.h"

#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/types/quoted_name.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

std::string fullName(const QueryTable& table) {
    return (table.schema.empty() ? "" : quotedName(table.schema) + '.') + quotedName(table.name);
}

[[noreturn]] void refuse(const std::string& what) {
    throw SqlError(sql_state::kFeatureNotSupported, what + " is not supported");
}

std::shared_ptr<const Statement> statementOf(const Statement& whole, StatementKind kind, std::string tag, Json tree) {
    auto made = std::make_shared<Statement>();
    made->kind = kind;
    made->text = whole.text;
    made->begin = whole.begin;
    made->tag = std::move(tag);
    made->tree = std::make_shared<const Json>(std::move(tree));
    return made;
}

QueryTable readInto(const Json& into) {
    QueryTable table;
    const Json& relation = into["rel"];
    table.schema = textOf(relation, "schemaname");
    table.name = textOf(relation, "relname");
    table.isTemporary = textOf(relation, "relpersistence") == "t";
    table.method = textOf(into, "accessMethod");
    table.hasRows = !flagOf(into, "skipData");
    if (into.contains("colNames")) table.columns = namesOf(into["colNames"]);
    return table;
}

}  // namespace

std::optional<QueryTable> queryTableOf(const Statement& statement) {
    const std::string_view node = kindOf(*statement.tree);
    const Json& body = bodyOf(*statement.tree);
    if (node == "SelectStmt" && body.contains("intoClause")) {
        QueryTable table = readInto(body["intoClause"]);
        Json query = *statement.tree;
        query["SelectStmt"].erase("intoClause");
        table.query = statementOf(statement, StatementKind::Query, "SELECT", std::move(query));
        return table;
    }
    if (node != "CreateTableAsStmt") return {};
    if (textOf(body, "objtype") != "OBJECT_TABLE") refuse("CREATE MATERIALIZED VIEW");
    if (kindOf(body["query"]) != "SelectStmt") refuse("CREATE TABLE AS of a prepared statement");
    QueryTable table = readInto(body["into"]);
    table.mayExist = flagOf(body, "if_not_exists");
    table.query = statementOf(statement, StatementKind::Query, "SELECT", body["query"]);
    return table;
}

std::shared_ptr<const Statement> creationOf(const QueryTable& table, std::span<const OutputColumn> columns) {
    if (table.columns.size() > columns.size())
        throw SqlError(sql_state::kSyntaxError, "too many column names were specified");
    std::string text =
        fmt::format("create {}table {}", table.isTemporary ? "temp " : "", table.mayExist ? "if not exists " : "");
    text += fullName(table) + " (";
    for (size_t i = 0; i < columns.size(); ++i) {
        const Oid type = columns[i].type == oid::kUnknown ? Oid{oid::kText} : columns[i].type;
        text += (i == 0 ? "" : ", ") + quotedName(i < table.columns.size() ? table.columns[i] : columns[i].label) +
                ' ' + formatType(type, columns[i].modifier);
    }
    text += ')';
    if (!table.method.empty()) text += " using " + quotedName(table.method);
    return parseStatements(text)[0];
}

std::shared_ptr<const Statement> removalOf(const QueryTable& table) {
    return parseStatements("drop table " + fullName(table))[0];
}

std::shared_ptr<const Statement> fillingOf(const QueryTable& table) {
    Json relation = {{"relname", table.name}, {"inh", true}, {"relpersistence", "p"}};
    if (!table.schema.empty()) relation["schemaname"] = table.schema;
    Json body = {
        {"relation", std::move(relation)}, {"selectStmt", *table.query->tree}, {"override", "OVERRIDING_NOT_SET"}};
    return statementOf(*table.query, StatementKind::Change, "INSERT", {{"InsertStmt", std::move(body)}});
}

}  // namespace pelorus::postgres
