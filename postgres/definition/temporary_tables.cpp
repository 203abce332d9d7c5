#include "postgres/definition/temporary_tables.h"

#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/mutex.h"
#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/definition/definition_scope.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "runtime/function/principal.h"

namespace pelorus::postgres {

namespace {

// The schemas of the sessions that are there, of all data folders of the process. Thread-safe.
class LiveSchemas {
public:
    void add(const void* databases, const std::string& schema) {
        const MutexLock guard(mutex_);
        schemas_.emplace(databases, schema);
    }
    void remove(const void* databases, const std::string& schema) {
        const MutexLock guard(mutex_);
        schemas_.erase({databases, schema});
    }
    bool has(const void* databases, const std::string& schema) const {
        const MutexLock guard(mutex_);
        return schemas_.contains({databases, schema});
    }

private:
    mutable Mutex mutex_;
    std::set<std::pair<const void*, std::string>> schemas_ GUARDED_BY(mutex_);
};

LiveSchemas& liveSchemas() {
    static LiveSchemas schemas;
    return schemas;
}

void dropSchema(const std::string& schema, const Services& services) {
    Request request(Principal::owner());
    Context context(services, request);
    try {
        callBuiltin(context, "dropDatabase", {Value::ofString(databaseOfSchema(schema))});
    } catch (const Error& error) {
        logWarning("postgres", "temporary tables are left", {{"schema", schema}, {"why", error.what()}});
    }
}

}  // namespace

bool isTemporarySchema(std::string_view schema) {
    return schema.starts_with("pg_temp_");
}

std::string writtenSchema(const nlohmann::json& relation) {
    std::string schema = textOf(relation, "schemaname");
    if (textOf(relation, "relpersistence") != "t") return schema;
    if (!schema.empty() && schema != kTemporaryName && !isTemporarySchema(schema))
        throw SqlError("42P16", "cannot create temporary relation in non-temporary schema", placeOf(relation));
    return std::string(kTemporaryName);
}

std::string makeTemporarySchema(int32_t session, Context& context) {
    auto* const databases = context.service<DatabaseService>();
    if (databases == nullptr) refuseDefinition("a table without a data folder");
    if (&databases->catalog().store() != &databases->ownStorage().catalog().store())
        refuseDefinition("TEMPORARY in a cluster", "Create a table, and drop it.");
    const std::string schema = fmt::format("pg_temp_{}", session);
    for (const std::string& path : databases->catalog().databasePaths()) {
        const std::string left = schemaOfDatabase(path);
        if (isTemporarySchema(left) && !liveSchemas().has(databases, left)) dropSchema(left, *context.services);
    }
    liveSchemas().add(databases, schema);
    try {
        createPlainDatabase(databaseOfSchema(schema), context);
    } catch (...) {
        liveSchemas().remove(databases, schema);
        throw;
    }
    return schema;
}

void dropTemporarySchema(const std::string& schema, const Services& services) {
    dropSchema(schema, services);
    liveSchemas().remove(services.find<DatabaseService>(), schema);
}

}  // namespace pelorus::postgres
