// One snapshot of the database for all tables that a query reads: the first table takes the newest one, the
// others of the same clock follow it.
#pragma once

#include <map>
#include <memory>

#include "runtime/table/table.h"

namespace pelorus {

class Principal;

// Scope in which queries of this thread read at one number, inner queries included, unless `apart`: a function that a
// query calls must see its previous writes.
class OneSnapshot {
public:
    enum class Start { Joined, Apart };
    explicit OneSnapshot(Start start = Start::Joined);
    ~OneSnapshot();
    OneSnapshot(const OneSnapshot&) = delete;
    OneSnapshot& operator=(const OneSnapshot&) = delete;

    // Whether queries of this scope, which is no joined one, have read a stored table.
    bool hasRead() const { return !first_.empty(); }

private:
    friend std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table, const Principal& who);
    OneSnapshot* const outer_;
    const bool isOwn_;
    // By clock; held so that versions of their numbers stay readable.
    std::map<const void*, std::shared_ptr<TableSnapshot>> first_;
};

// Returns the snapshot of the query that runs on this thread; the newest one outside of queries.
std::shared_ptr<TableSnapshot> snapshotForQuery(const PartitionedTable& table, const Principal& who);

}  // namespace pelorus
