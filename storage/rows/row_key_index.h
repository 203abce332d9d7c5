// An index of a row table: the keys of all versions of its rows, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/rows/row_latch.h"
#include "storage/rows/row_layout.h"

namespace pelorus {

// The definition of an index. A plain value.
struct RowIndexDefinition {
    std::string name;
    std::vector<int> columns;  // positions
    bool isUnique = false;     // no two rows have one key, except where a value of it is NULL
    friend bool operator==(const RowIndexDefinition&, const RowIndexDefinition&) = default;
};

// The entries of an index: pairs of key and row id in the order of keys, then rows. An entry says that some version of
// the row has the key: who comes through it compares the key with that of the version that it sees. RowPart owns it.
// Its latch is taken before that of a page; all other calls require it.
class RowKeyIndex {
public:
    // `validFrom` is the number at which the index was made of the rows: it lacks versions that only older readers see.
    RowKeyIndex(RowIndexDefinition definition, const RowColumns& columns, uint64_t validFrom = 0);
    ~RowKeyIndex();
    RowKeyIndex(const RowKeyIndex&) = delete;
    RowKeyIndex& operator=(const RowKeyIndex&) = delete;

    const RowIndexDefinition& definition() const { return definition_; }
    // Readers at or above this number may use the index.
    uint64_t validFrom() const { return validFrom_; }
    // Returns the key of cells, which are those of the index's columns or of the first ones. Needs no latch.
    std::string keyOf(const RowCells& cells) const;
    // Returns whether one of these cells is NULL: then uniqueness does not concern the row. Needs no latch.
    bool hasNull(const RowCells& cells) const;

    RowLatch& latch() const PELORUS_THREAD_ATTRIBUTE(lock_returned(latch_)) { return latch_; }
    // Adds an entry, and returns whether it is new.
    bool add(const std::string& key, uint64_t row) EXCLUSIVE_LOCKS_REQUIRED(latch_);
    void erase(const std::string& key, uint64_t row) EXCLUSIVE_LOCKS_REQUIRED(latch_);
    // Returns the rows with entries of this key.
    std::vector<uint64_t> rowsWith(const std::string& key) const SHARED_LOCKS_REQUIRED(latch_);
    // An entry.
    struct Entry {
        std::string key;
        uint64_t row = 0;
    };
    // Adds at most `limit` entries from (`key`, `row`) on, in order.
    void entriesFrom(const std::string& key, uint64_t row, size_t limit, std::vector<Entry>& entries) const
        SHARED_LOCKS_REQUIRED(latch_);
    // Adds the rows of at most `limit` entries from (`key`, `row`) on whose keys are below `high`; without it there is
    // no upper end. Returns whether there may be more, and moves `key` and `row` to where these begin.
    bool rowsBetween(std::string& key, uint64_t& row, const std::string* high, size_t limit,
                     std::vector<uint64_t>& rows) const SHARED_LOCKS_REQUIRED(latch_);
    size_t size() const SHARED_LOCKS_REQUIRED(latch_);

private:
    struct Entries;
    const RowIndexDefinition definition_;
    const uint64_t validFrom_;
    std::vector<RowColumn> columns_;  // of the key
    mutable RowLatch latch_;
    const std::unique_ptr<Entries> entries_;  // guarded by latch_
};

}  // namespace pelorus
