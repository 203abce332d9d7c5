#include "postgres/definition/drop_table.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/change/target_table.h"
#include "postgres/definition/foreign_keys.h"
#include "postgres/definition/view_definition.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;
using Targets = std::vector<std::shared_ptr<const TargetTable>>;

bool has(const Targets& targets, const std::string& database, const std::string& name) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const auto& target) { return target->database == database && target->name == name; });
}

// Returns the foreign keys to a table, as it is now, of tables that are not among the targets.
std::vector<ReferringKey> keysFromOutside(const TargetTable& target, const Targets& targets, DefinitionScope& scope) {
    const std::optional<TableEntry> entry = scope.databases().catalog().findTable(target.database, target.name);
    if (!entry) return {};
    std::vector<ReferringKey> keys = referringKeys(*entry, scope);
    std::erase_if(keys, [&](const ReferringKey& key) { return has(targets, databaseOfSchema(key.schema), key.table); });
    return keys;
}

// Finds a table that may be dropped; null for none, where one may miss.
std::shared_ptr<const TargetTable> droppedTable(const std::string& schema, const std::string& name, bool mayMiss,
                                                DefinitionScope& scope) {
    if (findView(schema, name, scope.session, scope.context))
        throw SqlError("42809", fmt::format("\"{}\" is not a table", name), -1, "Use DROP VIEW to remove a view.");
    try {
        auto target = findTarget(schema, name, scope.session, scope.context, -1);
        if (target->database.empty())
            refuseDefinition("DROP of a table in memory", "It lasts as long as the session that shares it.");
        return target;
    } catch (const SqlError& error) {
        if (error.state() != sql_state::kUndefinedTable) throw;
        const std::string message = fmt::format("table \"{}\" does not exist", name);
        if (!mayMiss) throw SqlError(sql_state::kUndefinedTable, message);
        scope.note("00000", message + ", skipping");
        return nullptr;
    }
}

void dropOne(const TargetTable& target, DefinitionScope& scope) {
    callBuiltin(scope.context, "dropTable",
                {callBuiltin(scope.context, "database",
                             {Value::ofString(target.database), Value(), Value(), Value(), Value(), Value(), Value()}),
                 Value::ofString(target.name)});
}

}  // namespace

void dropTables(const Json& body, DefinitionScope& scope) {
    Targets targets;
    for (const Json& object : body["objects"]) {
        const std::vector<std::string> names = namesOf(bodyOf(object)["items"]);
        const auto target = droppedTable(names.size() > 1 ? names[names.size() - 2] : "", names.back(),
                                         flagOf(body, "missing_ok"), scope);
        if (target && !has(targets, target->database, target->name)) targets.push_back(target);
    }
    const bool cascades = textOf(body, "behavior") == "DROP_CASCADE";
    for (const auto& target : targets) {
        for (const ReferringKey& referring : keysFromOutside(*target, targets, scope)) {
            if (cascades) {
                dropReferringKey(referring, scope);
                continue;
            }
            SqlError error("2BP01",
                           fmt::format("cannot drop table {} because other objects depend on it", target->name), -1,
                           "Use DROP ... CASCADE to drop the dependent objects too.");
            error.setDetail(fmt::format("constraint {} on table {} depends on table {}", referring.key.name,
                                        referring.table, target->name));
            throw error;
        }
    }
    std::vector<ViewSource> sources;
    for (const auto& target : targets) sources.push_back({target->database, target->name});
    for (const ViewSource& source : sources) releaseFromViews("table", source, cascades, {}, scope);
    // Children go before their parents; of tables that refer to each other one loses its keys first.
    while (!targets.empty()) {
        const auto isFree = [&](const auto& target) { return keysFromOutside(*target, {}, scope).empty(); };
        auto next = std::find_if(targets.begin(), targets.end(), isFree);
        if (next == targets.end()) {
            next = targets.begin();
            for (const ReferringKey& referring : keysFromOutside(**next, {}, scope)) dropReferringKey(referring, scope);
        }
        dropOne(**next, scope);
        targets.erase(next);
    }
}

void truncateTables(const Json& body, DefinitionScope& scope) {
    // All are found before the first one is emptied.
    Targets targets;
    for (const Json& item : body["relations"]) {
        const Json& relation = bodyOf(item);
        targets.push_back(findTarget(textOf(relation, "schemaname"), textOf(relation, "relname"), scope.session,
                                     scope.context, placeOf(relation)));
        if (targets.back()->database.empty()) refuseDefinition("TRUNCATE of a table in memory", "Use DELETE.");
    }
    const bool cascades = textOf(body, "behavior") == "DROP_CASCADE";
    for (size_t i = 0; i < targets.size(); ++i) {
        const TargetTable target = *targets[i];
        for (const ReferringKey& referring : keysFromOutside(target, targets, scope)) {
            if (has(targets, databaseOfSchema(referring.schema), referring.table)) continue;
            if (!cascades) {
                SqlError error(sql_state::kFeatureNotSupported,
                               "cannot truncate a table referenced in a foreign key constraint", -1,
                               fmt::format("Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.",
                                           referring.table));
                error.setDetail(fmt::format("Table \"{}\" references \"{}\".", referring.table, target.name));
                throw error;
            }
            targets.push_back(findTarget(referring.schema, referring.table, scope.session, scope.context, -1));
            scope.note("00000", fmt::format("truncate cascades to table \"{}\"", referring.table));
        }
    }
    // Tables that refer to others are emptied before these.
    Targets ordered;
    while (!targets.empty()) {
        const auto isFree = [&](const auto& target) { return keysFromOutside(*target, ordered, scope).empty(); };
        const auto next = std::find_if(targets.begin(), targets.end(), isFree);
        if (next == targets.end())
            refuseDefinition("TRUNCATE of tables that refer to each other", "Use DELETE within a transaction.");
        ordered.push_back(*next);
        targets.erase(next);
    }
    for (const auto& target : ordered)
        callBuiltin(scope.context, "truncate", {Value::ofString(target->database), Value::ofString(target->name)});
}

}  // namespace pelorus::postgres
