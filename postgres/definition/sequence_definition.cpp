#include "postgres/definition/sequence_definition.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/table_names.h"
#include "postgres/change/target_table.h"
#include "postgres/definition/sequence_options.h"
#include "postgres/definition/temporary_tables.h"
#include "postgres/parse/expression_text.h"
#include "postgres/parse/sequence_literals.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

std::optional<SequenceEntry> find(const std::string& schema, const std::string& name, DefinitionScope& scope) {
    if (!schema.empty()) return sequenceIn(schema, name, scope.context);
    for (const std::string& where : scope.session.searchPath)
        if (auto found = sequenceIn(where, name, scope.context)) return found;
    return {};
}

SequenceEntry required(const std::string& schema, const std::string& name, DefinitionScope& scope) {
    if (auto found = find(schema, name, scope)) {
        requireOnDatabase(scope.context, found->database, Right::CreateObject);
        return std::move(*found);
    }
    throw SqlError(sql_state::kUndefinedTable, fmt::format("relation \"{}\" does not exist", name));
}

// Makes the sequence go with a column, for `owned by`.
void setOwner(SequenceEntry& sequence, const std::vector<std::string>& names, DefinitionScope& scope) {
    if (names.empty()) return;
    sequence.ownerTable = 0;
    sequence.ownerColumn.clear();
    if (names.size() == 1) return;  // none
    const std::string schema = names.size() > 2 ? names[names.size() - 3] : "";
    const auto target = findTarget(schema, names[names.size() - 2], scope.session, scope.context, -1);
    const TargetColumn& column = target->column(names.back(), -1);
    if (!target->entry) refuseDefinition("OWNED BY a table in memory");
    sequence.ownerTable = target->entry->id;
    sequence.ownerColumn = target->entry->storedNameOf(static_cast<size_t>(&column - target->columns.data()));
}

// Returns the columns, as table.column, whose default takes numbers of the sequence.
std::vector<std::string> usersOf(const SequenceEntry& sequence, DefinitionScope& scope) {
    std::vector<std::string> users;
    Catalog& catalog = scope.databases().catalog();
    for (const TableEntry& table : catalog.allTables())
        for (const auto& [column, value] : table.defaults) {
            const auto name = numberedBy(parseExpression(value.expression));
            if (name && *name == sequenceText(sequence)) users.push_back(table.name + "." + column);
        }
    return users;
}

}  // namespace

void createSequence(const Json& body, DefinitionScope& scope) {
    const Json& named = body["sequence"];
    const std::string name = textOf(named, "relname");
    const std::string schema = scope.schemaFor(writtenSchema(named));
    const Json options = body.contains("options") ? body["options"] : Json::array();
    if (scope.exists(schema, name)) {
        const std::string message = fmt::format("relation \"{}\" already exists", name);
        if (!flagOf(body, "if_not_exists")) throw SqlError(sql_state::kDuplicateTable, message);
        return scope.note("42P07", message + ", skipping");
    }
    SequenceEntry sequence = sequenceOf(options, oid::kInt8);
    setOwner(sequence, ownerOf(options), scope);
    sequence.database = scope.databaseToCreateIn(schema);
    sequence.name = name;
    scope.databases().sequences().create(std::move(sequence));
}

void changeSequence(const Json& body, DefinitionScope& scope) {
    const Json& named = body["sequence"];
    const std::string schema = textOf(named, "schemaname"), name = textOf(named, "relname");
    if (flagOf(body, "missing_ok") && !find(schema, name, scope))
        return scope.note("00000", fmt::format("relation \"{}\" does not exist, skipping", name));
    const SequenceEntry sequence = required(schema, name, scope);
    const Json options = body.contains("options") ? body["options"] : Json::array();
    scope.databases().sequences().change(sequence.database, sequence.name, [&](SequenceEntry& changed) {
        alterSequence(changed, options);
        setOwner(changed, ownerOf(options), scope);
    });
}

void dropSequences(const Json& body, DefinitionScope& scope) {
    std::vector<SequenceEntry> dropped;
    for (const Json& object : body["objects"]) {
        const std::vector<std::string> names = namesOf(bodyOf(object)["items"]);
        const std::string schema = names.size() > 1 ? names[names.size() - 2] : "";
        if (flagOf(body, "missing_ok") && !find(schema, names.back(), scope)) {
            scope.note("00000", fmt::format("sequence \"{}\" does not exist, skipping", names.back()));
            continue;
        }
        dropped.push_back(required(schema, names.back(), scope));
        if (const auto users = usersOf(dropped.back(), scope); !users.empty())
            throw SqlError("2BP01",
                           fmt::format("cannot drop sequence {} because other objects depend on it", names.back()), -1,
                           fmt::format("Drop the default of {} first.", users[0]));
    }
    for (const SequenceEntry& sequence : dropped) scope.databases().sequences().drop(sequence.database, sequence.name);
}

}  // namespace pelorus::postgres
