// Row source of a query: the table that its `from` names, joined and with its aliases.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/table/table.h"
#include "sql/operators/join/joined_rows.h"

namespace pelorus {

// `qualifier.column` of a query, and its name in the source.
struct QualifiedColumn {
    std::string qualifier, column, name;
};

struct RowSource {
    Ref<Table> table;
    Ref<MemoryTable> memory;                  // a table in memory; a snapshot of one that sessions share
    Ref<MemoryTable> shared;                  // then the table itself, to which a change is applied
    uint64_t seenChanges = 0;                 // its change count at the snapshot
    PartitionedTable* partitioned = nullptr;  // otherwise
    Ref<JoinedRows> joined;                   // the rows of a join, materialized when they are read
    std::shared_ptr<TableSnapshot> snapshot;  // of a partitioned table: the one that the whole query sees
    // Set if the query is `restricted` to some partitions of the snapshot: a data source, or a partial query on this
    // node.
    std::vector<size_t> partitions;
    bool restricted = false;
    std::vector<QualifiedColumn> qualified;  // of joins by `join … on`
    // Left keys of a right join: a name without a qualifier is first looked up in the left table.
    std::vector<QualifiedColumn> leftKeys;

    const TableSchema& columns() const { return table->columns(); }
};

// Returns the rows of a table in memory as a source.
RowSource sourceOf(Ref<MemoryTable> rows);

// Whether some column's values are not numbers or strings of one type, so that no block of it is a vector.
bool hasTupleColumns(const TableSchema& columns);

}  // namespace pelorus
