// A table whose rows are changed one by one, rather than partition by partition.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// The rows of a row table, for statements that change some of them. A statement reads rows as of a snapshot, computes
// what it changes while it holds nothing, and applies that if the rows are still those.
class RowAccess {
public:
    virtual ~RowAccess() = default;

    // Rows as of a snapshot.
    struct Rows {
        Ref<MemoryTable> rows;      // all columns
        std::vector<uint64_t> ids;  // one per row
        std::shared_ptr<TableSnapshot> snapshot;
    };
    // A column and the only value that rows of interest have there; of the column's type.
    using Equality = std::pair<int, Value>;
    // Returns all rows that satisfy the equalities; perhaps others, too. An index is used where one fits. Checks no
    // right.
    virtual Rows rowsToChange(const std::vector<Equality>& equalities) const = 0;

    // A change of rows: those at `positions` are erased, or get the values at the same positions of `columns`, which
    // are those of the table of these numbers.
    struct RowUpdate {
        std::vector<int32_t> positions;
        bool erases = false;
        std::vector<std::pair<int, Value>> columns;
    };
    // Applies the change as one transaction: it is durable and visible when this returns. Returns false, and changes
    // nothing, when one of the rows has changed since: read them again; rows that are committed and not yet visible are
    // visible then. Throws UserError, <DuplicateKey> or <NullInRequired>, when a constraint refuses it.
    virtual bool changeRows(const Rows& seen, const RowUpdate& update) = 0;

    // Inserts the rows, which have the table's columns, whose key no row has, as one transaction, and returns their
    // positions. The key is that of the unique index of these columns; without columns, of each unique index. Throws
    // UserError when there is no such index (<NoSuchKey>), or another constraint refuses a row. Checks no right.
    virtual std::vector<int32_t> insertNew(const MemoryTable& rows, const std::vector<std::string>& keyColumns) = 0;

    // Which rows of the table have the keys of given rows, as of a snapshot.
    struct Conflicts {
        Rows there;                    // rows of the table
        std::vector<int32_t> of;       // of each given row: the position in `there` of the one with its key; -1: none
        std::vector<int32_t> earlier;  // of each given row: the first given row with its key, itself where it is that
    };
    // Looks for the keys of rows, which have the table's columns, in the unique index of these columns. Throws
    // UserError when there is no such index (<NoSuchKey>). Checks no right.
    virtual Conflicts findConflicts(const MemoryTable& rows, const std::vector<std::string>& keyColumns) const = 0;
    // Rows to insert: those at `positions` of `rows`; nobody has their keys in the unique index of these columns.
    struct NewRows {
        const MemoryTable& rows;
        std::vector<int32_t> positions;
        std::vector<std::string> keyColumns;
    };
    // Inserts rows and changes others as one transaction. Returns false, and changes nothing, when one of the changed
    // rows has changed since, or somebody has the key of a new one now: look for conflicts again. Throws as changeRows
    // does.
    virtual bool insertAndChange(const NewRows& inserted, const Rows& seen, const RowUpdate& update) = 0;

    // Makes an index of the rows that are there and of later ones. Throws UserError, and makes none, for an unknown
    // column, for a name that the table has (<DuplicateName>), and for a unique one when two rows have one key
    // (<DuplicateKey>). Checks no right.
    virtual void createIndex(const std::string& indexName, const std::vector<std::string>& columnNames,
                             bool isUnique) = 0;
};

}  // namespace pelorus
