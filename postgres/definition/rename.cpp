#include "postgres/definition/rename.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/change/target_table.h"
#include "postgres/definition/alter_table.h"
#include "postgres/definition/column_rules.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/function/principal.h"
#include "storage/table/local_table.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

bool hasColumn(const TableEntry& table, const std::string& column) {
    return std::any_of(table.schema.begin(), table.schema.end(),
                       [&](const ColumnSchema& each) { return each.name == column; });
}

CatalogTable& storedTable(Value& opened, DefinitionScope& scope) {
    auto* table = dynamic_cast<CatalogTable*>(&opened.table());
    if (table == nullptr) refuseDefinition("ALTER of a table in memory", "Change it by a script.");
    table->requireToAlter(scope.context.principal(), Right::CreateObject);
    return *table;
}

// Renames the index or check of a table.
void renameConstraint(CatalogTable& table, const std::string& name, const std::string& newName, bool isTaken) {
    if (isTaken) throw SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", newName));
    table.changeDefinition([&](TableEntry& entry) {
        if (!hasConstraint(entry, name))
            throw SqlError(sql_state::kUndefinedObject,
                           fmt::format("constraint \"{}\" for table \"{}\" does not exist", name, entry.name));
        if (hasConstraint(entry, newName))
            throw SqlError("42710",
                           fmt::format("constraint \"{}\" for relation \"{}\" already exists", newName, entry.name));
        for (RowTableCheck& check : entry.rowTable->checks)
            if (check.name == name) check.name = newName;
        for (ForeignKey& key : entry.rowTable->foreignKeys)
            if (key.name == name) key.name = newName;
        for (RowTableIndex& index : entry.rowTable->indexes)
            if (index.name == name) index.name = newName;
    });
}

// Returns the name of the table that has the index, with its schema; nothing where none has.
struct FoundIndex {
    std::string schema, table;
    bool isConstraint = false;
};
std::optional<FoundIndex> findIndex(const std::string& given, const std::string& name, DefinitionScope& scope) {
    const std::vector<std::string> path = given.empty() ? scope.session.searchPath : std::vector<std::string>{given};
    for (const std::string& where : path) {
        const auto schema = findSchema(where, scope.context);
        if (!schema) continue;
        for (const std::string& table : scope.databases().catalog().tableNames(databaseOfSchema(*schema))) {
            const auto entry = scope.databases().catalog().findTable(databaseOfSchema(*schema), table);
            if (!entry || !entry->rowTable) continue;
            for (const RowTableIndex& index : entry->rowTable->indexes)
                if (index.name == name) return FoundIndex{*schema, table, index.isConstraint};
        }
    }
    return {};
}

}  // namespace

void renameObject(const Json& body, DefinitionScope& scope) {
    const std::string kind = textOf(body, "renameType"), name = textOf(body, "subname"),
                      newName = textOf(body, "newname");
    if (kind == "OBJECT_INDEX") {
        const Json& relation = body["relation"];
        const auto found = findIndex(textOf(relation, "schemaname"), textOf(relation, "relname"), scope);
        if (!found)
            throw SqlError(sql_state::kUndefinedTable,
                           fmt::format("relation \"{}\" does not exist", textOf(relation, "relname")));
        Value opened = findTarget(found->schema, found->table, scope.session, scope.context, -1)->open(scope.context);
        return renameConstraint(storedTable(opened, scope), textOf(relation, "relname"), newName,
                                scope.exists(found->schema, newName));
    }
    if (kind != "OBJECT_TABLE" && kind != "OBJECT_COLUMN" && kind != "OBJECT_TABCONSTRAINT")
        refuseDefinition("this form of RENAME");
    const auto target = alteredTable(body, scope);
    if (!target) return;
    Value opened = target->open(scope.context);
    CatalogTable& table = storedTable(opened, scope);
    if (kind == "OBJECT_TABCONSTRAINT") {
        // The name of a constraint with an index is one of a relation.
        const auto facts = table.entry().rowTable.value_or(RowTableFacts());
        const bool hasIndex = std::any_of(facts.indexes.begin(), facts.indexes.end(),
                                          [&](const RowTableIndex& index) { return index.name == name; });
        return renameConstraint(table, name, newName, hasIndex && scope.exists(target->schema, newName));
    }
    if (kind == "OBJECT_COLUMN") {
        const TableEntry& entry = table.entry();
        if (!hasColumn(entry, name))
            throw SqlError(sql_state::kUndefinedColumn, fmt::format("column \"{}\" does not exist", name));
        if (hasColumn(entry, newName))
            throw SqlError("42701",
                           fmt::format("column \"{}\" of relation \"{}\" already exists", newName, entry.name));
        return table.renameColumn(name, newName);
    }
    if (scope.exists(target->schema, newName))
        throw SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", newName));
    callBuiltin(scope.context, "renameTable",
                {callBuiltin(scope.context, "database",
                             {Value::ofString(target->database), Value(), Value(), Value(), Value(), Value(), Value()}),
                 Value::ofString(target->name), Value::ofString(newName)});
}

void dropIndexes(const Json& body, DefinitionScope& scope) {
    std::vector<std::pair<FoundIndex, std::string>> dropped;
    for (const Json& object : body["objects"]) {
        const std::vector<std::string> names = namesOf(bodyOf(object)["items"]);
        const auto found = findIndex(names.size() > 1 ? names[names.size() - 2] : "", names.back(), scope);
        if (!found) {
            const std::string message = fmt::format("index \"{}\" does not exist", names.back());
            if (!flagOf(body, "missing_ok")) throw SqlError(sql_state::kUndefinedObject, message);
            scope.note("00000", message + ", skipping");
            continue;
        }
        if (found->isConstraint)
            throw SqlError("2BP01",
                           fmt::format("cannot drop index {0} because constraint {0} on table {1} requires it",
                                       names.back(), found->table),
                           -1,
                           fmt::format("You can drop constraint {} on table {} instead.", names.back(), found->table));
        dropped.emplace_back(*found, names.back());
    }
    for (const auto& [found, name] : dropped) {
        Value opened = findTarget(found.schema, found.table, scope.session, scope.context, -1)->open(scope.context);
        storedTable(opened, scope).changeDefinition([&](TableEntry& entry) {
            std::erase_if(entry.rowTable->indexes, [&](const RowTableIndex& index) { return index.name == name; });
        });
    }
}

}  // namespace pelorus::postgres
