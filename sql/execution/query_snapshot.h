// One snapshot of the database for all tables that a query reads: the first table takes the newest one, the
// others of the same clock follow it.
#pragma once

#include <map>
#include <memory>

#include "runtime/table/table.h"

namespace pelorus {

class Principal;
class StoredTable;

// Snapshots that are held over several scopes, one after the other and on any thread: those of a transaction that reads
// at one number from its first query on. As long as it lives, versions of that number stay.
class HeldSnapshot {
public:
    // Returns the number that is held for a clock; 0 when no table of it was read.
    uint64_t numberOf(const void* clock) const {
        const auto held = first_.find(clock);
        return held == first_.end() ? 0 : held->second->number();
    }

private:
    friend class OneSnapshot;
    // By clock; held so that versions of their numbers stay readable.
    std::map<const void*, std::shared_ptr<TableSnapshot>> first_;
};

// Scope in which queries of this thread read at one number, inner queries included, unless `apart`: a function that a
// query calls must see its previous writes.
class OneSnapshot {
public:
    enum class Start { Joined, Apart };
    explicit OneSnapshot(Start start = Start::Joined);
    // Queries of this scope read at the number of `held`, which outlives it. One thread at a time has such a scope.
    explicit OneSnapshot(HeldSnapshot& held);
    ~OneSnapshot();
    OneSnapshot(const OneSnapshot&) = delete;
    OneSnapshot& operator=(const OneSnapshot&) = delete;

    // Whether queries of this scope, which is no joined one, have read a stored table.
    bool hasRead() const { return !first().empty(); }

private:
    friend std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table, const Principal& who);
    // Returns the snapshot of a table, which is `stored` where it is a stored one, for the query of this thread.
    static std::shared_ptr<TableSnapshot> take(const PartitionedTable& table, const StoredTable* stored);
    OneSnapshot* const outer_;
    const bool isOwn_;
    HeldSnapshot* const held_ = nullptr;
    HeldSnapshot own_;
    std::map<const void*, std::shared_ptr<TableSnapshot>>& first() {
        return held_ != nullptr ? held_->first_ : own_.first_;
    }
    const std::map<const void*, std::shared_ptr<TableSnapshot>>& first() const {
        return held_ != nullptr ? held_->first_ : own_.first_;
    }
};

// Returns the snapshot of the query that runs on this thread; the newest one outside of queries. Tables of the storage
// of the thread's transaction are read in that.
std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table, const Principal& who);

}  // namespace pelorus
