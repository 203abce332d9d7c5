#include "storage/catalog/catalog_names.h"

#include <algorithm>
#include <cctype>

#include "common/error.h"

namespace pelorus {

// Keys. In files: never change.
//   catalog/<name>               empty
//   schema/<catalog>\n<schema>   the path of the database
static constexpr const char* kCatalogs = "catalog/";
static constexpr const char* kSchemas = "schema/";

static std::string catalogKey(const std::string& catalog) {
    return kCatalogs + catalog;
}
static std::string schemaPrefix(const std::string& catalog) {
    return kSchemas + catalog + "\n";
}
static std::string schemaKey(const std::string& catalog, const std::string& schema) {
    return schemaPrefix(catalog) + schema;
}

static void checkName(const std::string& name, const char* what) {
    const bool isName =
        !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (!isName)
        throw UserError(std::string("The name of a ") + what +
                        " must be letters, digits and _, and begin with a letter.");
}

static UserError noCatalog(const std::string& catalog) {
    return UserError("The catalog " + catalog + " doesn't exist.",
                     "createCatalog makes it; getAllCatalogs lists them.");
}

void CatalogNames::create(const std::string& catalog) {
    checkName(catalog, "catalog");
    if (!store_.transact({{catalogKey(catalog), 0}}, {{catalogKey(catalog), "", 0}}).done)
        throw UserError("The catalog " + catalog + " exists already.");
}

bool CatalogNames::exists(const std::string& catalog) const {
    return store_.get(catalogKey(catalog)).has_value();
}

std::vector<std::string> CatalogNames::all() const {
    std::vector<std::string> names;
    for (const MetaEntry& entry : store_.range(kCatalogs).entries)
        names.push_back(entry.key.substr(catalogKey("").size()));
    return names;
}

void CatalogNames::drop(const std::string& catalog) {
    rename(catalog, "");
}

// Renames a catalog; with an empty `newName`, removes it and its schemas.
void CatalogNames::rename(const std::string& catalog, const std::string& newName) {
    for (;;) {
        const std::optional<MetaEntry> entry = store_.get(catalogKey(catalog));
        if (!entry) throw noCatalog(catalog);
        std::vector<MetaCondition> conditions{{entry->key, entry->revision}};
        std::vector<MetaWrite> writes{{entry->key, std::nullopt, 0}};
        if (!newName.empty()) {
            checkName(newName, "catalog");
            if (exists(newName)) throw UserError("The catalog " + newName + " exists already.");
            conditions.push_back({catalogKey(newName), 0});
            writes.push_back({catalogKey(newName), "", 0});
        }
        for (const MetaEntry& schema : store_.range(schemaPrefix(catalog)).entries) {
            conditions.push_back({schema.key, schema.revision});
            writes.push_back({schema.key, std::nullopt, 0});
            if (!newName.empty())
                writes.push_back(
                    {schemaKey(newName, schema.key.substr(schemaPrefix(catalog).size())), schema.value, 0});
        }
        if (store_.transact(conditions, writes).done) return;
    }
}

void CatalogNames::addSchema(const std::string& catalog, const std::string& schema, const std::string& database) {
    checkName(schema, "schema");
    for (;;) {
        const std::optional<MetaEntry> entry = store_.get(catalogKey(catalog));
        if (!entry) throw noCatalog(catalog);
        for (const MetaEntry& known : store_.range(kSchemas).entries) {
            if (known.key == schemaKey(catalog, schema))
                throw UserError("The schema " + schema + " of " + catalog + " exists already.");
            if (known.value == database) throw UserError("The database " + database + " is in a catalog already.");
        }
        const std::string key = schemaKey(catalog, schema);
        if (store_.transact({{entry->key, entry->revision}, {key, 0}}, {{key, database, 0}}).done) return;
    }
}

std::optional<std::string> CatalogNames::database(const std::string& catalog, const std::string& schema) const {
    const std::optional<MetaEntry> entry = store_.get(schemaKey(catalog, schema));
    return entry ? std::optional<std::string>(entry->value) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> CatalogNames::schemas(const std::string& catalog) const {
    if (!exists(catalog)) throw noCatalog(catalog);
    std::vector<std::pair<std::string, std::string>> schemas;
    for (const MetaEntry& entry : store_.range(schemaPrefix(catalog)).entries)
        schemas.emplace_back(entry.key.substr(schemaPrefix(catalog).size()), entry.value);
    return schemas;
}

void CatalogNames::dropSchema(const std::string& catalog, const std::string& schema) {
    const std::optional<MetaEntry> entry = store_.get(schemaKey(catalog, schema));
    if (!entry) throw UserError("There is no schema " + schema + " in the catalog " + catalog + ".");
    store_.transact({{entry->key, entry->revision}}, {{entry->key, std::nullopt, 0}});
}

void CatalogNames::renameSchema(const std::string& catalog, const std::string& schema, const std::string& newName) {
    checkName(newName, "schema");
    for (;;) {
        const std::optional<MetaEntry> entry = store_.get(schemaKey(catalog, schema));
        if (!entry) throw UserError("There is no schema " + schema + " in the catalog " + catalog + ".");
        const std::string key = schemaKey(catalog, newName);
        if (store_.get(key)) throw UserError("The schema " + newName + " of " + catalog + " exists already.");
        if (store_
                .transact({{entry->key, entry->revision}, {key, 0}},
                          {{entry->key, std::nullopt, 0}, {key, entry->value, 0}})
                .done) {
            return;
        }
    }
}

void CatalogNames::forget(const std::string& database) {
    for (const MetaEntry& entry : store_.range(kSchemas).entries) {
        if (entry.value == database) store_.transact({{entry.key, entry.revision}}, {{entry.key, std::nullopt, 0}});
    }
}

}  // namespace pelorus
