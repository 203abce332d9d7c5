// Row source of a query: the table that its `from` names, joined and with its aliases.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/code/expression.h"
#include "sql/execution/scan_profile.h"
#include "sql/plan/memory_snapshot.h"

namespace pelorus {

// `qualifier.column` of a query, and its name in the source.
struct QualifiedColumn {
    std::string qualifier, column, name;
};

// A table of a join, as `t.*` names it.
struct SourceSide {
    std::string qualifier;
    TableSchema columns;
};

struct RowSource {
    Ref<Table> table;                         // whose columns are read
    std::shared_ptr<TableSnapshot> snapshot;  // its rows: the whole query sees the same
    // Positions of the partitions of the snapshot that are read; all of them when there are none here.
    std::optional<std::vector<size_t>> partitions;
    // For a table in memory that sessions share: the table itself, to which a change is applied, and its change count
    // at the snapshot.
    Ref<MemoryTable> shared;
    uint64_t seenChanges = 0;
    std::vector<QualifiedColumn> qualified;  // of joins by `join … on`
    // Left keys of a right join: a name without a qualifier is first looked up in the left table.
    std::vector<QualifiedColumn> leftKeys;
    std::vector<SourceSide> sides;  // of a join by ej, lj …
    // The conditions that are left of the query's; all of them when there is nothing here.
    std::optional<NodeList> remaining;
    // Where reading is measured; null where nobody asked.
    std::shared_ptr<ScanProfile> profile;

    const TableSchema& columns() const { return table->columns(); }
    // Returns the table as what it is; null for another kind.
    MemoryTable* memory() const { return table->asMemory(); }
    PartitionedTable* partitioned() const { return table->asPartitioned(); }
    // Returns the snapshot of a table in memory or of computed rows; null for others.
    const OnePartition* whole() const { return dynamic_cast<const OnePartition*>(snapshot.get()); }
};

// Returns the rows of a table in memory as a source.
RowSource sourceOf(Ref<MemoryTable> rows);

// Whether some column's values are not numbers or strings of one type, so that no block of it is a vector.
bool hasTupleColumns(const TableSchema& columns);

}  // namespace pelorus
