// The foreign keys that changes of a row table concern, and what a statement notes of its changes for them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/value/object.h"
#include "storage/catalog/catalog.h"
#include "storage/rows/row_layout.h"
#include "storage/rows/row_part.h"

namespace pelorus {

class RowTable;

// A foreign key with its two tables opened, and the places of its columns in their pages. A plain value; the columns of
// both sides are in the key's order.
struct OpenForeignKey {
    ForeignKey key;
    Ref<RowTable> child, parent;
    std::vector<int> childColumns, parentColumns;
    RowColumns childTypes, parentTypes;
};

// Returns the key in the types of other columns: integers of any width hold the same numbers. Nothing where the number
// does not fit: then nobody has it.
std::optional<RowCells> inTypesOf(const RowCells& cells, const RowColumns& from, const RowColumns& to);
// Returns whether one of the cells is NULL.
bool hasNullCell(const RowCells& cells, const RowColumns& types);

// A change of a row that a foreign key must be looked at for.
struct NotedChange {
    std::shared_ptr<const OpenForeignKey> key;
    uint64_t row = 0;  // of the child, or of the parent where there are `values`
    // The key that a row of the parent had, and, of an update, the one that it has now.
    struct Values {
        RowCells before, after;
        bool isErased = false;
        std::optional<std::vector<uint64_t>> children = {};  // rows that may have it; nothing: not looked for yet
    };
    std::unique_ptr<Values> values;
};

// The foreign keys of one table in one transaction: its own, and those of others to it. The transaction has locked the
// tables, so that they stay. Used by one thread; ReferenceQueue owns it.
class TableReferences {
public:
    using Keys = std::vector<std::shared_ptr<const OpenForeignKey>>;
    using Note = std::function<void(NotedChange change)>;
    using Open = std::function<Keys()>;
    // `own` and `referring` open the table's keys and those of others, when they are first needed.
    TableReferences(Open own, Open referring, Note note)
        : openOwn_(std::move(own)), openReferring_(std::move(referring)), note_(std::move(note)) {}

    // Notes a row that was inserted.
    void inserted(uint64_t row);

    // What rows have in the columns of keys before a change.
    struct Before {
        std::shared_ptr<const OpenForeignKey> key;
        bool isParent = false;
        RowCells cells;
    };
    // Reads that of a row whose columns are about to be written, or, without columns, that is about to be erased.
    // `changesKey`: columns of a unique index are among them.
    std::vector<Before> before(const RowPart& part, const RowView& view, uint64_t row, const std::vector<int>& columns,
                               bool changesKey);
    // Notes that it was done. `cells` are those that were written.
    void changed(uint64_t row, std::vector<Before> before, const std::vector<int>& columns,
                 const std::vector<RowCell>& cells) const;

private:
    const Keys& own();
    const Keys& referring();

    const Open openOwn_, openReferring_;
    const Note note_;
    std::optional<Keys> own_, referring_;  // nothing: not opened yet
};

}  // namespace pelorus
