// Databases and tables as the built-in functions use them: on one node, or over a cluster. Found as a service of the
// process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/table.h"
#include "storage/catalog.h"
#include "storage/local_storage.h"
#include "storage/local_table.h"

namespace pelorus {

// Thread-safe.
class DatabaseService {
public:
    virtual ~DatabaseService() = default;

    virtual Catalog& catalog() = 0;
    virtual Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) = 0;
    // Removes the rows of a table that is no longer in the catalog.
    virtual void removeRows(uint64_t table) = 0;
    // Empties a table, or the partitions with these paths; the table stays.
    virtual void truncate(uint64_t table) = 0;
    virtual void removePartitions(uint64_t table, const std::vector<std::string>& paths) = 0;
    virtual void clearCache() = 0;
};

// All on this node.
class LocalDatabaseService final : public DatabaseService {
public:
    explicit LocalDatabaseService(std::shared_ptr<LocalStorage> storage, OutsideRules rules = {})
        : storage_(std::move(storage)), rules_(rules) {}

    Catalog& catalog() override { return storage_->catalog(); }
    Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) override {
        return makeRef<LocalTable>(storage_, database, table, rules_);
    }
    void removeRows(uint64_t table) override { storage_->removeRows(table); }
    void truncate(uint64_t table) override { storage_->removeRows(table, true); }
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override {
        storage_->removeChunks(table, paths);
    }
    void clearCache() override { storage_->clearCache(); }

private:
    const std::shared_ptr<LocalStorage> storage_;
    const OutsideRules rules_;
};

}  // namespace pelorus
