#include "postgres/definition/definition_scope.h"

#include <algorithm>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "database/service/secured_objects.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/table_names.h"
#include "postgres/catalog/view_names.h"
#include "postgres/definition/temporary_tables.h"
#include "postgres/sql_error.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

void refuseDefinition(const std::string& what, std::string hint) {
    throw SqlError(sql_state::kFeatureNotSupported, what + " is not supported", -1, std::move(hint));
}

Value callBuiltin(Context& context, const char* name, std::vector<Value> arguments) {
    return FunctionRegistry::instance().get(name).call(context, arguments);
}

// Its scheme has one partition, which none of the tables uses.
void createPlainDatabase(const std::string& path, Context& context) {
    callBuiltin(context, "database",
                {Value::ofString(path), Value::ofInt(static_cast<int32_t>(PartitionKind::Value)),
                 Value::of(Vector::of<int32_t>(Type::Int, {0})), Value(), Value(), Value(), Value()});
}

DatabaseService& DefinitionScope::databases() const {
    auto* service = context.service<DatabaseService>();
    if (service == nullptr) refuseDefinition("a table without a data folder");
    return *service;
}

std::string DefinitionScope::schemaFor(const std::string& given) const {
    if (given == kTemporaryName && session.makeTemporary) return session.makeTemporary(context);
    if (!given.empty()) {
        if (const auto found = findSchema(given, context)) return *found;
        throw SqlError(sql_state::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", given));
    }
    for (const std::string& name : session.searchPath) {
        if (name == session.temporarySchema) continue;
        if (const auto found = findSchema(name, context)) return *found;
    }
    throw SqlError(sql_state::kInvalidSchemaName, "no schema has been selected to create in");
}

std::string DefinitionScope::databaseToCreateIn(const std::string& schema) const {
    const std::string path = databaseOfSchema(schema);
    if (schema == "public" && !databases().catalog().findDatabase(path)) createPlainDatabase(path, context);
    requireOnDatabase(context, path, Right::CreateObject);
    return path;
}

bool DefinitionScope::exists(const std::string& schema, const std::string& name) const {
    const std::vector<std::string> tables = visibleTables(schema, context);
    if (std::find(tables.begin(), tables.end(), name) != tables.end() || sequenceIn(schema, name, context) ||
        viewIn(schema, name, context))
        return true;
    auto* service = context.service<DatabaseService>();
    if (service == nullptr) return false;
    return std::any_of(tables.begin(), tables.end(), [&](const std::string& table) {
        const auto entry = service->catalog().findTable(databaseOfSchema(schema), table);
        return entry && entry->rowTable &&
               std::any_of(entry->rowTable->indexes.begin(), entry->rowTable->indexes.end(),
                           [&](const RowTableIndex& index) { return index.name == name; });
    });
}

}  // namespace pelorus::postgres
