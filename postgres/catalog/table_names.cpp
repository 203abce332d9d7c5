#include "postgres/catalog/table_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "interpreter/session/shared_objects.h"
#include "postgres/sql_error.h"
#include "runtime/registry/registry.h"

namespace pelorus::postgres {

namespace {

constexpr std::string_view kPublic = "public";
constexpr std::string_view kPrefix = "dfs://";

bool isSameName(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Returns the name of the list that is meant: the very one, or the only one that differs by case alone.
std::optional<std::string> chosen(const std::vector<std::string>& names, std::string_view wanted) {
    const std::string* found = nullptr;
    for (const std::string& name : names) {
        if (name == wanted) return name;
        if (!isSameName(name, wanted)) continue;
        if (found != nullptr) return {};
        found = &name;
    }
    return found == nullptr ? std::nullopt : std::optional<std::string>(*found);
}

std::optional<FoundTable> findShared(const std::string& wanted, Context& context) {
    const auto* shared = context.service<SharedObjects>();
    if (shared == nullptr) return {};
    const std::optional<std::string> name = chosen(visibleTables(std::string(kPublic), context), wanted);
    if (!name) return {};
    const auto open = [name = *name](Context& now) {
        Value value;
        if (!now.service<SharedObjects>()->find(name, value, now.principal()) || !value.isTable())
            throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", name));
        return value;
    };
    const Value table = open(context);
    return FoundTable{std::string(kPublic), *name, table.table().columns(), open};
}

std::optional<FoundTable> findStored(const std::string& schema, const std::string& wanted, Context& context) {
    const std::optional<std::string> database = chosen(visibleSchemas(context), schema);
    if (!database || *database == kPublic) return {};
    const std::optional<std::string> name = chosen(visibleTables(*database, context), wanted);
    if (!name) return {};
    const std::string path = std::string(kPrefix) + *database;
    const auto open = [path, name = *name](Context& now) {
        Value arguments[] = {Value::ofString(path), Value::ofString(name), Value(), Value()};
        return FunctionRegistry::instance().get("loadTable").call(now, arguments);
    };
    const Value table = open(context);
    return FoundTable{*database, *name, table.table().columns(), open};
}

}  // namespace

std::vector<std::string> visibleSchemas(Context& context) {
    std::vector<std::string> schemas = {std::string(kPublic)};
    if (context.service<DatabaseService>() == nullptr) return schemas;
    // Who may read one table of a database sees the schema that it is in.
    Catalog& catalog = context.service<DatabaseService>()->catalog();
    for (const std::string& path : catalog.databasePaths()) {
        const std::optional<DatabaseEntry> entry = catalog.findDatabase(path);
        if (path.starts_with(kPrefix) && entry && maySee(context, *entry))
            schemas.push_back(path.substr(kPrefix.size()));
    }
    return schemas;
}

std::vector<std::string> visibleTables(const std::string& schema, Context& context) {
    std::vector<std::string> tables;
    if (schema == kPublic) {
        const auto* shared = context.service<SharedObjects>();
        if (shared == nullptr) return tables;
        for (const std::string& name : shared->names()) {
            Value value;
            if (!shared->find(name, value) || !value.isTable()) continue;
            if (shared->allows(value.table(), Right::Read, context.principal())) tables.push_back(name);
        }
        std::sort(tables.begin(), tables.end());
        return tables;
    }
    const std::string path = std::string(kPrefix) + schema;
    Catalog& catalog = context.service<DatabaseService>()->catalog();
    for (const std::string& name : catalog.tableNames(path)) {
        const std::optional<TableEntry> table = catalog.findTable(path, name);
        if (table && maySee(context, *table)) tables.push_back(name);
    }
    return tables;
}

FoundTable findTable(const std::string& schema, const std::string& name, const SessionFacts& session, Context& context,
                     int place) {
    const auto find = [&](const std::string& where) {
        return isSameName(where, kPublic) ? findShared(name, context) : findStored(where, name, context);
    };
    if (!schema.empty()) {
        if (auto found = find(schema)) return std::move(*found);
        if (!chosen(visibleSchemas(context), schema))
            throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}.{}\" does not exist", schema, name),
                           place, "A schema is a database: dfs://market is market.");
        throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}.{}\" does not exist", schema, name),
                       place);
    }
    for (const std::string& where : session.searchPath) {
        const std::string folded = where == "$user" ? session.user : where;
        if (auto found = find(folded)) return std::move(*found);
    }
    throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", name), place,
                   "Write the database before it, as in market.trades, or set search_path.");
}

}  // namespace pelorus::postgres
