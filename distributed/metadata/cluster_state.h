// Content of the metadata store of a cluster, at one revision after the other: who is in sync, where chunks are stored,
// and how transactions ended. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

// A revision, and the transactions that ended at it, in order.
struct ClusterMoment {
    uint64_t revision = 0;
    uint64_t base = 0;  // of stamps
    std::vector<TransactionRecord> ended;
};

class ClusterState {
public:
    ClusterState();

    // Replaces the state by all keys as they were read. Returns the moments of the transactions whose records are
    // there, in order, and at last that of the newest change.
    std::vector<ClusterMoment> read(const MetaRead& read);
    // Follows one revision. Returns nothing for one that is known already, or that no transaction of ours made, as when
    // a lease ends: it is no moment of the clock.
    std::optional<ClusterMoment> apply(const std::vector<MetaChange>& changes);

    uint64_t revision() const { return revision_; }
    uint64_t base() const { return base_; }
    const std::shared_ptr<const ClusterConfig>& config() const { return config_; }
    // Returns the chunks of a table in order of their positions.
    PlacedChunks chunks(uint64_t table);
    std::optional<PlacedChunk> chunk(uint64_t table, const std::string& path) const;
    // Whether the node shares chunks with others, and each of these has another replica in sync.
    bool othersHave(const std::string& alias) const;
    // Returns the replicas of the partitions of a database, by path.
    std::map<std::string, std::vector<std::string>> places(const std::string& database) const;
    // Returns the records of ended transactions, by name.
    const std::map<std::string, TransactionRecord>& records() const { return records_; }

private:
    struct TableChunks {
        std::map<std::string, PlacedChunk> byPath;
        PlacedChunks list;  // made by the first reader after a change
    };
    void applyOne(const MetaChange& change, std::vector<TransactionRecord>& ended);

    uint64_t revision_ = 0;
    uint64_t base_;
    std::shared_ptr<const ClusterConfig> config_;
    std::map<uint64_t, TableChunks> tables_;
    std::map<std::string, std::map<std::string, std::vector<std::string>>> places_;
    std::map<std::string, TransactionRecord> records_;
};

}  // namespace pelorus
