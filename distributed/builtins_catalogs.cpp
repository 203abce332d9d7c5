// Catalogs: names over databases. A schema is one database under another name, within one catalog; it keeps the
// database's path whatever it is called. CAT-01, CAT-02.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "common/error.h"
#include "distributed/builtins_database.h"
#include "distributed/catalog_choice.h"
#include "distributed/database_handle.h"
#include "distributed/status_table.h"
#include "runtime/vector.h"

namespace pelorus {

namespace {

// Keys of the metadata store: never rename.
std::string catalogKey(const std::string& catalog) {
    return "catalog/" + catalog;
}
std::string schemaKey(const std::string& catalog, const std::string& schema) {
    return "schema/" + catalog + "\n" + schema;
}

MetaStore& store(Context& context) {
    return databasesOf(context).catalog().store();
}

MetaEntry existingCatalog(Context& context, const std::string& catalog) {
    if (std::optional<MetaEntry> entry = store(context).get(catalogKey(catalog))) return std::move(*entry);
    throw UserError("There is no catalog " + catalog + ".", "Make it with createCatalog(\"" + catalog + "\").");
}

MetaEntry existingSchema(Context& context, const std::string& catalog, const std::string& schema) {
    existingCatalog(context, catalog);
    if (std::optional<MetaEntry> entry = store(context).get(schemaKey(catalog, schema))) return std::move(*entry);
    throw UserError("The catalog " + catalog + " has no schema " + schema + ".");
}

// The schemas whose database still exists.
std::vector<std::pair<std::string, std::string>> schemasOf(Context& context, const std::string& catalog) {
    std::vector<std::pair<std::string, std::string>> schemas;
    const std::string prefix = schemaKey(catalog, "");
    for (const MetaEntry& entry : store(context).range(prefix).entries) {
        if (databasesOf(context).catalog().findDatabase(entry.value))
            schemas.emplace_back(entry.key.substr(prefix.size()), entry.value);
    }
    return schemas;
}

// All writes, or an error that says that somebody else was quicker.
void write(Context& context, const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) {
    if (store(context).transact(conditions, writes).done) return;
    throw SystemError("The catalog was changed by another session at the same time.", "Try again.", true);
}

Value createCatalogKernel(Context& context, Arguments arguments) {
    const std::string name = nameArgument(arguments[0], 0, "catalog");
    if (name.empty() || name.find('.') != std::string::npos)
        throw UserError(0, "A catalog's name must not be empty or contain a dot.");
    if (store(context).get(catalogKey(name))) throw UserError(0, "The catalog " + name + " exists already.");
    write(context, {{catalogKey(name), 0}}, {{catalogKey(name), "", 0}});
    return {};
}

Value dropCatalogKernel(Context& context, Arguments arguments) {
    const std::string name = nameArgument(arguments[0], 0, "catalog");
    const MetaEntry entry = existingCatalog(context, name);
    std::vector<MetaWrite> writes{{entry.key, std::nullopt, 0}};
    for (const MetaEntry& schema : store(context).range(schemaKey(name, "")).entries)
        writes.push_back({schema.key, std::nullopt, 0});
    write(context, {{entry.key, entry.revision}}, writes);
    return {};
}

Value existsCatalogKernel(Context& context, Arguments arguments) {
    return Value::ofBool(store(context).get(catalogKey(nameArgument(arguments[0], 0, "catalog"))).has_value());
}

Value renameCatalogKernel(Context& context, Arguments arguments) {
    const std::string from = nameArgument(arguments[0], 0, "oldCatalog");
    const std::string to = nameArgument(arguments[1], 1, "newCatalog");
    const MetaEntry entry = existingCatalog(context, from);
    if (store(context).get(catalogKey(to))) throw UserError(1, "The catalog " + to + " exists already.");
    std::vector<MetaWrite> writes{{entry.key, std::nullopt, 0}, {catalogKey(to), "", 0}};
    const std::string prefix = schemaKey(from, "");
    for (const MetaEntry& schema : store(context).range(prefix).entries) {
        writes.push_back({schema.key, std::nullopt, 0});
        writes.push_back({schemaKey(to, schema.key.substr(prefix.size())), schema.value, 0});
    }
    write(context, {{entry.key, entry.revision}, {catalogKey(to), 0}}, writes);
    return {};
}

Value createSchemaKernel(Context& context, Arguments arguments) {
    const std::string catalog = nameArgument(arguments[0], 0, "catalog");
    const std::string path = databasePath(arguments[1], 1);
    const std::string schema = nameArgument(arguments[2], 2, "schema");
    const MetaEntry entry = existingCatalog(context, catalog);
    databasesOf(context).catalog().database(path);  // says so when there is none
    for (const MetaEntry& other : store(context).range("schema/").entries) {
        if (other.value == path)
            throw UserError(1, "The database " + path + " has a schema already.", "A database has one schema.");
    }
    if (store(context).get(schemaKey(catalog, schema)))
        throw UserError(2, "The catalog " + catalog + " has a schema " + schema + " already.");
    write(context, {{entry.key, entry.revision}, {schemaKey(catalog, schema), 0}},
          {{schemaKey(catalog, schema), path, 0}});
    return {};
}

Value dropSchemaKernel(Context& context, Arguments arguments) {
    const MetaEntry entry =
        existingSchema(context, nameArgument(arguments[0], 0, "catalog"), nameArgument(arguments[1], 1, "schema"));
    write(context, {{entry.key, entry.revision}}, {{entry.key, std::nullopt, 0}});
    return {};
}

Value renameSchemaKernel(Context& context, Arguments arguments) {
    const std::string catalog = nameArgument(arguments[0], 0, "catalog");
    const std::string to = nameArgument(arguments[2], 2, "newSchema");
    const MetaEntry entry = existingSchema(context, catalog, nameArgument(arguments[1], 1, "oldSchema"));
    if (store(context).get(schemaKey(catalog, to)))
        throw UserError(2, "The catalog " + catalog + " has a schema " + to + " already.");
    write(context, {{entry.key, entry.revision}, {schemaKey(catalog, to), 0}},
          {{entry.key, std::nullopt, 0}, {schemaKey(catalog, to), entry.value, 0}});
    return {};
}

Value allCatalogsKernel(Context& context, Arguments) {
    std::vector<std::string> names;
    const std::string prefix = catalogKey("");
    for (const MetaEntry& entry : store(context).range(prefix).entries)
        names.push_back(entry.key.substr(prefix.size()));
    return Value::of(Vector::ofStrings(names));
}

Value schemasKernel(Context& context, Arguments arguments) {
    const std::string catalog = nameArgument(arguments[0], 0, "catalog");
    existingCatalog(context, catalog);
    std::vector<std::vector<Value>> rows;
    for (const auto& [schema, path] : schemasOf(context, catalog))
        rows.push_back({Value::ofString(schema), Value::ofString(path)});
    return statusTable({{"schema", Type::String}, {"dbUrl", Type::String}}, rows);
}

Value currentKernel(Context& context, Arguments) {
    const auto* choice = context.service<CatalogChoice>();
    return Value::ofString(choice ? choice->of(context.request->sessionId) : "");
}

Value setDefaultKernel(Context& context, Arguments arguments) {
    const std::string catalog = arguments[0].isText() ? std::string(arguments[0].text()) : "";
    if (!catalog.empty()) existingCatalog(context, catalog);
    if (auto* choice = context.service<CatalogChoice>()) choice->set(context.request->sessionId, catalog);
    return {};
}

}  // namespace

void registerCatalogs(FunctionRegistry& registry) {
    registry.add("createCatalog(catalog)", createCatalogKernel,
                 {.summary = "Makes a catalog: a name for several databases.", .errors = "It exists."});
    registry.add("dropCatalog(catalog)", dropCatalogKernel,
                 {.summary = "Removes a catalog and its schemas; the databases stay.", .errors = "There is none."});
    registry.add("existsCatalog(catalog)", existsCatalogKernel,
                 {.summary = "Whether there is a catalog of that name, as BOOL."});
    registry.add("renameCatalog(oldCatalog, newCatalog)", renameCatalogKernel,
                 {.summary = "Gives a catalog another name.", .errors = "There is none, or the new name is taken."});
    registry.add("createSchema(catalog, dbUrl, schema)", createSchemaKernel,
                 {.summary = "Names a database within a catalog.",
                  .errors = "The database has a schema already, or the name is taken."});
    registry.add("dropSchema(catalog, schema)", dropSchemaKernel,
                 {.summary = "Removes a database's name from a catalog; the database stays."});
    registry.add("renameSchema(catalog, oldSchema, newSchema)", renameSchemaKernel,
                 {.summary = "Gives a schema another name."});
    registry.add("getAllCatalogs()", allCatalogsKernel, {.summary = "Names of all catalogs, as a STRING vector."});
    registry.add("getSchemaByCatalog(catalog)", schemasKernel,
                 {.summary = "A table of a catalog's schemas and the paths of their databases."});
    registry.add("getCurrentCatalog()", currentKernel,
                 {.summary = "The catalog of this session, as STRING; empty when none was set."});
    registry.add("setDefaultCatalog(catalog)", setDefaultKernel,
                 {.summary = "Sets the catalog of this session; \"\" for none."});
}

}  // namespace pelorus
