// Names for databases: a catalog holds schemas, a schema names a database. catalog.schema.table in a script.
//
// Thread-safe. Every change is one transaction of the store.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

class CatalogNames {
public:
    explicit CatalogNames(MetaStore& store) : store_(store) {}

    // All throw UserError: when a name exists already, or does not exist, or is no name.
    void create(const std::string& catalog);
    bool exists(const std::string& catalog) const;
    std::vector<std::string> all() const;
    // Drops its schemas, too; the databases stay.
    void drop(const std::string& catalog);
    void rename(const std::string& catalog, const std::string& newName);

    // A database is in one catalog at most.
    void addSchema(const std::string& catalog, const std::string& schema, const std::string& database);
    std::optional<std::string> database(const std::string& catalog, const std::string& schema) const;
    // Returns name and database of each schema.
    std::vector<std::pair<std::string, std::string>> schemas(const std::string& catalog) const;
    void dropSchema(const std::string& catalog, const std::string& schema);
    void renameSchema(const std::string& catalog, const std::string& schema, const std::string& newName);
    // Removes the names of a dropped database.
    void forget(const std::string& database);

private:
    MetaStore& store_;
};

}  // namespace pelorus
