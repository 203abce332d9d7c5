// Catalogs and their schemas: names for databases. catalog.schema.table in a script.
#include <chrono>

#include "common/error.h"
#include "common/io/audit.h"
#include "database/builtins/builtins_database.h"
#include "database/service/database_handle.h"
#include "database/service/secured_objects.h"
#include "runtime/function/principal.h"
#include "runtime/function/rights_keeper.h"
#include "runtime/value/vector.h"
#include "storage/catalog/catalog_names.h"

namespace pelorus {

static CatalogNames namesOf(Context& context) {
    return CatalogNames(databasesOf(context).catalog().store());
}

// The name of a schema, given as "schema" or "catalog.schema".
struct SchemaName {
    std::string catalog, schema;
};

static SchemaName schemaName(Context& context, const std::string& name) {
    const size_t dot = name.find('.');
    if (dot != std::string::npos) return {name.substr(0, dot), name.substr(dot + 1)};
    std::string catalog = databasesOf(context).currentCatalogs().get(context.request->sessionId);
    if (catalog.empty()) {
        throw UserError("The catalog doesn't exist.",
                        "Name it, as in catalog." + name + ", or choose one: use catalog.");
    }
    return {std::move(catalog), name};
}

static bool isSchemaName(const std::string& path) {
    return !path.empty() && path.find_first_of(":/\n") == std::string::npos;
}

std::string databasePath(Context& context, const Value& value, int argument) {
    std::string path = givenDatabasePath(context, value, argument);
    if (!isSchemaName(path)) return path;
    const SchemaName name = schemaName(context, path);
    if (std::optional<std::string> database = namesOf(context).database(name.catalog, name.schema))
        return std::move(*database);
    throw UserError(argument, "There is no schema " + name.schema + " in the catalog " + name.catalog + ".",
                    "create database makes it; getSchemaByCatalog lists them.");
}

std::string pathForSchema(Context& context, const std::string& path, bool& isNew) {
    isNew = false;
    if (!isSchemaName(path)) return path;
    const SchemaName name = schemaName(context, path);
    const CatalogNames names = namesOf(context);
    if (!names.exists(name.catalog)) throw UserError("The catalog " + name.catalog + " doesn't exist.");
    if (std::optional<std::string> database = names.database(name.catalog, name.schema)) return std::move(*database);
    isNew = true;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return "dfs://" + name.catalog + "_" + name.schema + "_" +
           std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

void nameSchema(Context& context, const std::string& path, const std::string& database) {
    const SchemaName name = schemaName(context, path);
    namesOf(context).addSchema(name.catalog, name.schema, database);
}

void forgetSchemas(Context& context, const std::string& database) {
    namesOf(context).forget(database);
}

namespace {

std::string catalogArgument(Arguments arguments, int i = 0) {
    return nameArgument(arguments[static_cast<size_t>(i)], i, "catalog");
}

// Changes of catalogs and schemas are in getAclAuditLog: they change where rights hold.
AuditEvent catalogEvent(const Context& context, std::string_view operation, std::string_view detail) {
    return {.operation = operation, .user = context.request->principal().user(), .detail = detail};
}

Value createCatalogKernel(Context& context, Arguments arguments) {
    const std::string catalog = catalogArgument(arguments);
    requireOnCatalog(context, catalog);
    if (auto* rights = context.service<RightsKeeper>(); rights && !namesOf(context).exists(catalog))
        rights->forgetCatalog(catalog);
    AuditedChange change(catalogEvent(context, "createCatalog", "catalog=" + catalog));
    namesOf(context).create(catalog);
    change.done();
    return {};
}

Value existsCatalogKernel(Context& context, Arguments arguments) {
    return Value::ofBool(namesOf(context).exists(catalogArgument(arguments)));
}

Value dropCatalogKernel(Context& context, Arguments arguments) {
    const std::string catalog = catalogArgument(arguments);
    requireOnCatalog(context, catalog);
    AuditedChange change(catalogEvent(context, "dropCatalog", "catalog=" + catalog));
    namesOf(context).drop(catalog);
    if (auto* rights = context.service<RightsKeeper>()) rights->forgetCatalog(catalog);
    change.done();
    return {};
}

Value renameCatalogKernel(Context& context, Arguments arguments) {
    const std::string catalog = catalogArgument(arguments), newName = nameArgument(arguments[1], 1, "newCatalog");
    requireOnCatalog(context, catalog);
    AuditedChange change(catalogEvent(context, "renameCatalog", "catalog=" + catalog + " new catalog=" + newName));
    if (auto* rights = context.service<RightsKeeper>(); rights && namesOf(context).exists(catalog)) {
        if (!namesOf(context).exists(newName)) rights->renameCatalog(catalog, newName);
    }
    namesOf(context).rename(catalog, newName);
    change.done();
    CurrentCatalogs& current = databasesOf(context).currentCatalogs();
    if (current.get(context.request->sessionId) == catalog) current.set(context.request->sessionId, newName);
    return {};
}

Value getAllCatalogsKernel(Context& context, Arguments) {
    return Value::of(Vector::ofStrings(namesOf(context).all()));
}

Value setDefaultCatalogKernel(Context& context, Arguments arguments) {
    std::string catalog;
    if (arguments[0].isString()) catalog = arguments[0].string();
    if (!catalog.empty() && !namesOf(context).exists(catalog))
        throw UserError(0, "The catalog " + catalog + " doesn't exist.", "createCatalog makes it.");
    databasesOf(context).currentCatalogs().set(context.request->sessionId, std::move(catalog));
    return {};
}

Value getCurrentCatalogKernel(Context& context, Arguments) {
    return Value::ofString(databasesOf(context).currentCatalogs().get(context.request->sessionId));
}

Value createSchemaKernel(Context& context, Arguments arguments) {
    const std::string database = givenDatabasePath(context, arguments[1], 1);
    databasesOf(context).catalog().database(database);  // throws when there is none
    const std::string catalog = catalogArgument(arguments), schema = nameArgument(arguments[2], 2, "schema");
    // All who have rights to the catalog get them to the database.
    requireOnCatalog(context, catalog);
    requireOnDatabase(context, database, Right::Manage);
    AuditedChange change(
        catalogEvent(context, "createSchema", "catalog=" + catalog + " dbUrl=" + database + " schema=" + schema));
    namesOf(context).addSchema(catalog, schema, database);
    change.done();
    return {};
}

Value dropSchemaKernel(Context& context, Arguments arguments) {
    const std::string catalog = catalogArgument(arguments), schema = nameArgument(arguments[1], 1, "schema");
    requireOnCatalog(context, catalog);
    // Rights that are denied for the catalog would not be denied for the database any more.
    if (const auto database = namesOf(context).database(catalog, schema))
        requireOnDatabase(context, *database, Right::Manage);
    AuditedChange change(catalogEvent(context, "dropSchema", "catalog=" + catalog + " schema=" + schema));
    namesOf(context).dropSchema(catalog, schema);
    change.done();
    return {};
}

Value renameSchemaKernel(Context& context, Arguments arguments) {
    const std::string catalog = catalogArgument(arguments), schema = nameArgument(arguments[1], 1, "oldSchema");
    const std::string newName = nameArgument(arguments[2], 2, "newSchema");
    requireOnCatalog(context, catalog);
    AuditedChange change(
        catalogEvent(context, "renameSchema", "catalog=" + catalog + " schema=" + schema + " new schema=" + newName));
    namesOf(context).renameSchema(catalog, schema, newName);
    change.done();
    return {};
}

// Editors call them when they list objects.
Value orcaStreamTables(Context&, Arguments) {
    return Value::of(Ref<Table>(MemoryTable::empty({{"id", Type::Uuid, 0, ""},
                                                    {"fqn", Type::String, 0, ""},
                                                    {"site", Type::String, 0, ""},
                                                    {"graphRefs", Type::Any, 0, ""},
                                                    {"raftGroupId", Type::Int, 0, ""}})));
}

Value getSchemaByCatalogKernel(Context& context, Arguments arguments) {
    std::vector<std::string> names, databases;
    for (auto& [name, database] : namesOf(context).schemas(catalogArgument(arguments))) {
        names.push_back(name);
        databases.push_back(database);
    }
    std::vector<Value> columns{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(databases))};
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::vector<std::string>{"schema", "dbUrl"}, std::move(columns))));
}

}  // namespace

void registerCatalogBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("createCatalog(catalog)", createCatalogKernel,
                 {.summary = "Makes a catalog, whose schemas are names of databases.",
                  .errors = "It exists already.",
                  .example = "createCatalog(\"desk1\")"});
    registry.add("existsCatalog(catalog)", existsCatalogKernel,
                 {.summary = "Whether there is a catalog of that name.", .example = "existsCatalog(\"market\")"},
                 kReads);
    registry.add("dropCatalog(catalog)", dropCatalogKernel,
                 {.summary = "Removes a catalog and the names of its schemas; the databases stay.",
                  .example = "dropCatalog(\"old\")"});
    registry.add("renameCatalog(oldCatalog, newCatalog)", renameCatalogKernel,
                 {.summary = "Gives a catalog another name.", .example = "renameCatalog(\"desk1\", \"research\")"});
    registry.add("getAllCatalogs()", getAllCatalogsKernel,
                 {.summary = "The names of all catalogs, as STRING.", .example = "getAllCatalogs()"}, kReads);
    registry.add("setDefaultCatalog(catalog)", setDefaultCatalogKernel,
                 {.summary = "The catalog of the session's schemas from now on, as `use catalog`; \"\" for none.",
                  .example = "setDefaultCatalog(\"market\")"});
    registry.add("getCurrentCatalog()", getCurrentCatalogKernel,
                 {.summary = "The catalog that the session uses, \"\" when none.", .example = "getCurrentCatalog()"},
                 kReads);
    registry.add("createSchema(catalog, dbUrl, schema)", createSchemaKernel,
                 {.summary = "Makes a database known in a catalog, as a schema.",
                  .parameters = "catalog: the name of a catalog\n"
                                "dbUrl: the database, as \"dfs://TAQ\"\n"
                                "schema: the name that it gets in the catalog",
                  .errors = "The database is in a catalog already.",
                  .example = "createSchema(\"market\", \"dfs://TAQ\", \"taq\")"});
    registry.add("dropSchema(catalog, schema)", dropSchemaKernel,
                 {.summary = "Removes a schema from its catalog; the database stays.",
                  .example = "dropSchema(\"market\", \"us\")"});
    registry.add("renameSchema(catalog, oldSchema, newSchema)", renameSchemaKernel,
                 {.summary = "Gives a schema another name.",
                  .parameters = "catalog: the name of a catalog\n"
                                "oldSchema: the name of a schema of it\n"
                                "newSchema: its new name",
                  .example = "renameSchema(\"market\", \"taq\", \"us\")"});
    registry.add(
        "getOrcaStreamTableMeta([name])", orcaStreamTables,
        {.summary = "A table of the stream tables of stream graphs, which this version does not have: no rows.",
         .parameters = "name: of one stream table",
         .example = "getOrcaStreamTableMeta().rows() -> 0"},
        kReads);
    registry.add("getSchemaByCatalog(catalog)", getSchemaByCatalogKernel,
                 {.summary = "The schemas of a catalog and their databases, as a table.",
                  .example = "getSchemaByCatalog(\"market\")"},
                 kReads);
}

}  // namespace pelorus
