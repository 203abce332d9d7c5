// The content of a cluster's metadata store, parsed: which nodes are in sync, where partitions are stored, the catalog,
// and how transactions ended.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/meta_store.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

// A revision of the store, and the transactions that ended at it, in order.
struct ClusterMoment {
    uint64_t revision = 0;
    uint64_t base = 0;  // base of commit timestamps
    std::vector<TransactionRecord> ended;
};

// A table of the catalog.
struct KnownTable {
    std::string database;
    MetaCondition entry;  // key and revision of its entry
};

// The state of the metadata at its newest known revision; it follows the store revision by revision. ClusterMap owns
// it and guards it. Not thread-safe.
class ClusterState {
public:
    ClusterState();

    // Replaces the state by all keys as they were read. Returns the revisions of the transactions whose records are
    // there, in order, and at last that of the newest change. Throws when a key does not parse.
    std::vector<ClusterMoment> read(const MetaRead& read);
    // Applies the changes of one revision. Returns nothing for one that is known already, or that no transaction has
    // made, as when a lease ends: it did not write the clock's key. A key that does not parse is logged and skipped.
    // REQUIRES: there are changes, all of one revision.
    std::optional<ClusterMoment> apply(const std::vector<MetaChange>& changes);

    uint64_t revision() const { return revision_; }
    uint64_t base() const { return base_; }
    const std::shared_ptr<const ClusterConfig>& config() const { return config_; }

    // Returns the partitions of a database in order of their positions.
    PlacedChunks chunks(const std::string& database);
    std::optional<PlacedChunk> chunk(const std::string& database, const std::string& path) const;
    // Returns the first of these partitions of a table of which the node certainly was no replica at the revision; a
    // place that has changed since does not tell.
    std::optional<std::string> firstNotKept(const std::string& alias, uint64_t revision, uint64_t table,
                                            const std::vector<std::string>& paths) const;
    // Returns the partitions that have learners, or copies that are to be removed, with their databases.
    std::vector<std::pair<std::string, PlacedChunk>> unsettled() const;
    // Returns whether the node shares partitions with others, and each of these has another replica in sync.
    bool othersHave(const std::string& alias) const;

    std::optional<KnownTable> table(uint64_t id) const;
    std::vector<uint64_t> tablesOf(const std::string& database) const;
    // Returns the tables that were dropped and may still have rows somewhere, with the revisions of their drops.
    const std::map<uint64_t, uint64_t>& dropped() const { return dropped_; }

    // Returns whether `entry` and `entries` know the keys with this prefix: all but places and records of transactions.
    static bool keepsKeys(const std::string& prefix);
    std::optional<MetaEntry> entry(const std::string& key) const;
    std::vector<MetaEntry> entries(const std::string& prefix, size_t limit) const;

    // Returns the records of ended transactions, by the names of the transactions.
    const std::map<std::string, TransactionRecord>& records() const { return records_; }

private:
    // The places of a database's partitions.
    struct Places {
        std::map<std::string, PlacedChunk> byPath;
        PlacedChunks list;  // made by the first reader after a change; null until then
    };
    void applyOne(const MetaChange& change, std::vector<TransactionRecord>& ended);
    void applyPlace(const MetaChange& change);
    void applyTable(const MetaChange& change);

    uint64_t revision_ = 0;
    uint64_t base_;
    std::shared_ptr<const ClusterConfig> config_;
    std::map<std::string, Places> places_;                     // by database
    std::set<std::pair<std::string, std::string>> unsettled_;  // database and path
    std::map<std::string, MetaEntry> keys_;
    std::map<uint64_t, KnownTable> tables_;
    std::map<uint64_t, uint64_t> dropped_;
    std::map<std::string, TransactionRecord> records_;
};

}  // namespace pelorus
