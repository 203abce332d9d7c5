// Keys of a keyed table: the columns of its key, and the row of each key.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/table/table.h"
#include "runtime/value/key_index.h"

namespace pelorus {

// An index from keys of one or more columns to their positions, numbered in order of first appearance.
class CompositeKeyIndex {
public:
    // `types` are those of the columns of every call that follows.
    explicit CompositeKeyIndex(const std::vector<Type>& types);
    std::vector<int32_t> insertAll(const std::vector<Value>& columns);
    // Returns the position of each key, -1 for one that is absent.
    std::vector<int32_t> findAll(const std::vector<Value>& columns) const;
    int64_t size() const { return index_.size(); }

private:
    KeyIndex index_;
};

// The key columns of a table and their index of rows, which is made when it is first needed, and again after the rows
// have changed in other ways than upsert. Reading is thread-safe as long as no thread changes the table.
class TableKeys {
public:
    // `timeColumn`, if any, decides between rows with one key: the later one stays, the newer one of equals. An
    // `ordered` key can be looked up by its first columns alone. With `latestBy`, a time or a date and a time of the
    // day, a stream table keeps all rows of a key, each with a greater time than those before it: its row is the
    // newest.
    TableKeys(std::vector<std::string> columns, std::string timeColumn, bool ordered,
              std::vector<std::string> latestBy = {});

    const std::vector<std::string>& columns() const { return columns_; }
    const std::string& timeColumn() const { return timeColumn_; }
    bool ordered() const { return ordered_; }
    const std::vector<std::string>& latestBy() const { return latestBy_; }
    bool contains(std::string_view column) const;

    // Throws UserError when the table lacks a column, its type is none of a key, or two of its rows have one key
    // though it keeps one of them.
    void check(const MemoryTable& table) const;
    // Throws UserError for a column of the key.
    void refuseChangeOf(std::string_view column) const;
    void rename(std::string_view column, std::string_view to);

    void forgetRows();
    // Returns whether a lookup needs no scan of the table first.
    bool isIndexed() const {
        const MutexLock guard(mutex_);
        return index_ != nullptr;
    }
    std::unique_ptr<TableKeys> withoutRows() const;

    // Returns the row of each key, -1 for an absent one. `keys` has one vector for each column of the key; they are
    // converted to the types of the table.
    std::vector<int32_t> find(const MemoryTable& table, const std::vector<Value>& keys) const;
    // Returns the rows of keys after giving each absent key the next row after those of the table.
    std::vector<int32_t> place(const MemoryTable& table, const std::vector<Value>& keys);

    // Sets that rows from `first` on have these keys, of which the last row of each is its newest.
    void renew(const MemoryTable& table, const std::vector<Value>& keys, int32_t first);

    // Splits keys as scripts write them: a vector or scalar for a key of one column, else one vector or scalar per
    // column. Throws UserError when there are too many or, unless `prefix`, too few columns.
    std::vector<Value> columnsOf(const Value& keys, bool prefix = false) const;

    // Returns values for the first columns of the key, in the types of the table.
    std::vector<Value> converted(const MemoryTable& table, const std::vector<Value>& keys) const;

private:
    void checkTimes(const MemoryTable& table) const;
    void ensureRows(const MemoryTable& table) const LOCKS_EXCLUDED(mutex_);

    std::vector<std::string> columns_;
    std::string timeColumn_;
    bool ordered_;
    std::vector<std::string> latestBy_;  // empty: one row a key
    // Orders the readers of a table, the first of which makes the index: after ensureRows they read it without the
    // lock, since it changes again only with the table, when no thread reads.
    mutable Mutex mutex_;
    mutable std::unique_ptr<CompositeKeyIndex> index_;
    mutable std::vector<int32_t> rows_;  // row of each key, by position of the key
};

// Returns the numbers of the rows of an append that are kept, ascending. Of a key that the table lacks only the first
// row with the greatest time is. `columns` are those of the table, by position; NULL is the smallest time. REQUIRES:
// keys.latestBy() is not empty.
std::vector<int32_t> latestRows(const MemoryTable& table, const TableKeys& keys, const std::vector<Value>& columns);

// Returns whether keys as a script writes them are a single one: the result is a scalar then.
bool isOneKey(const Value& keys);

}  // namespace pelorus
