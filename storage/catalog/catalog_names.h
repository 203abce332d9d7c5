// Names of databases in scripts, as in catalog.schema.table: a catalog contains schemas, and a schema names a database.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

// The names of databases, kept in a MetaStore, which outlives it. Every change but `forget` is one transaction of the
// store. All calls throw SystemError (retryable) when the store does not answer. Thread-safe.
class CatalogNames {
public:
    explicit CatalogNames(MetaStore& store) : store_(store) {}

    // Changes throw UserError when a new name exists already or is not valid, or an old one does not exist.
    void create(const std::string& catalog);
    bool exists(const std::string& catalog) const;
    std::vector<std::string> all() const;
    // Removes a catalog with its schemas; the databases stay.
    void drop(const std::string& catalog);
    void rename(const std::string& catalog, const std::string& newName);

    // Adds a schema, which names a database. Throws UserError also when the database is in a catalog already.
    void addSchema(const std::string& catalog, const std::string& schema, const std::string& database);
    std::optional<std::string> database(const std::string& catalog, const std::string& schema) const;
    // Returns the name and the database of each schema. Throws UserError when there is no such catalog.
    std::vector<std::pair<std::string, std::string>> schemas(const std::string& catalog) const;
    void dropSchema(const std::string& catalog, const std::string& schema);
    void renameSchema(const std::string& catalog, const std::string& schema, const std::string& newName);
    // Removes the schemas that name a dropped database.
    void forget(const std::string& database);

private:
    MetaStore& store_;
};

}  // namespace pelorus
