// Where this process keeps partitioned tables: on its own disk, or over the nodes of a cluster. A service: the
// built-ins database, loadTable, dropTable … work on it and need not know which.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/table.h"

namespace pelorus {

class Catalog;
struct DatabaseEntry;
struct TableEntry;

class TableSpace {
public:
    virtual ~TableSpace() = default;

    // Names, schemas and schemes; changed through it.
    virtual Catalog& catalog() = 0;
    // A handle to a table. Throws UserError, naming both, when there is none.
    virtual Ref<PartitionedTable> open(const std::string& databasePath, const std::string& tableName) = 0;
    // Removes the rows of a table: for good when it was dropped from the catalog, or to go on empty (`keepTable`).
    virtual void removeRows(const TableEntry& table, bool keepTable) = 0;
    // Removes the rows of some partitions, named by their paths as in "/20240315/A_D".
    virtual void removePartitions(const TableEntry& table, const std::vector<std::string>& paths) = 0;
    // Forgets decoded blocks, on all nodes.
    virtual void clearCache() = 0;
};

}  // namespace pelorus
