// What a node knows of its cluster: who is in sync, and which nodes keep which chunk, at one revision of the metadata
// store after the other.
//
//   place/<database>\n<path>     replicas of a partition: all tables of a database share them, so that joins stay local
//   chunk/<table id>/<path>      a chunk of a table: its replicas and its position in the scheme
//   chunks/<table id>            changes with every change to the list of the table's chunks
//   txn/<transaction>            how a transaction ended
//
// The store is read once and watched from there, by one stream. Each revision is first installed, in order, and then
// told to those who wait for it. Thread-safe. A service of the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

// Keys and values in the metadata store: never change.
std::string chunkKey(uint64_t table, const std::string& path);
std::string chunkListKey(uint64_t table);
std::string placeKey(const std::string& database, const std::string& path);
std::string chunkRecord(const std::vector<std::string>& replicas, const std::vector<int>& index);
std::vector<std::string> replicasOfRecord(const std::string& record);
std::string decisionKey(const std::string& transaction);
inline constexpr const char* kBaseKey = "base";  // of stamps; absent: stamp::kFirstBase

// The end of a transaction, as the store has it.
struct TransactionRecord {
    std::string transaction;
    bool commit = false;
    uint64_t place = 0;  // among those of its revision
    std::vector<std::string> participants;
    uint64_t revision = 0;

    std::string encode() const;
    // Returns nothing for a value of another form.
    static std::optional<TransactionRecord> decode(std::string transaction, const std::string& value,
                                                   uint64_t revision);
};

class ClusterMap {
public:
    // Called for each revision in order, by one thread, with what was decided there. May throw SystemError: it is
    // called again until it succeeds.
    using Install =
        std::function<void(uint64_t revision, uint64_t base, const std::vector<TransactionRecord>& decided)>;

    // Reads the state, has it installed, and watches from there.
    ClusterMap(MetaStore& store, Install install);
    ~ClusterMap();

    // Returns the revision of the newest change in the store: all that was acknowledged before the call is at or below
    // it. Calls at the same time share one read. Throws SystemError when the store does not answer.
    uint64_t currentRevision();
    // Returns the revision up to which everything is installed here.
    uint64_t installed() const;
    // Waits until a revision is installed. Throws SystemError (retryable) when that takes longer than `patience`.
    void await(uint64_t revision, std::chrono::milliseconds patience) const;

    // The state at one revision, which may be ahead of what is installed.
    struct View {
        uint64_t revision = 0;
        uint64_t base = 0;
        std::shared_ptr<const ClusterConfig> config;
        PlacedChunks chunks;  // of the table, in order of their positions
    };
    View view(uint64_t table) const;
    std::shared_ptr<const ClusterConfig> config() const { return view(0).config; }
    // Returns a chunk of a table; nothing when it has no place.
    std::optional<PlacedChunk> chunk(uint64_t table, const std::string& path) const;
    // Returns the replicas of the partitions of a database, by path.
    std::map<std::string, std::vector<std::string>> places(const std::string& database) const;
    // Returns the records of ended transactions that the store still has.
    std::vector<TransactionRecord> records() const;

private:
    struct TableChunks {
        std::map<std::string, PlacedChunk> byPath;
        mutable PlacedChunks list;  // made by the first reader after a change
    };

    void readState();
    void watch();
    void run();
    void apply(const std::vector<MetaChange>& changes);
    void applyOne(const MetaChange& change, std::vector<TransactionRecord>& decided) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void installed(uint64_t revision, uint64_t base, const std::vector<TransactionRecord>& decided);

    MetaStore& store_;
    const Install install_;

    mutable Mutex mutex_;
    mutable CondVar changed_;
    uint64_t known_ GUARDED_BY(mutex_) = 0;      // revision of the state below
    uint64_t readAt_ GUARDED_BY(mutex_) = 0;     // revision of the store when the state was read
    uint64_t installed_ GUARDED_BY(mutex_) = 0;  // revision up to which all is installed
    uint64_t base_ GUARDED_BY(mutex_);
    std::shared_ptr<const ClusterConfig> config_ GUARDED_BY(mutex_);
    mutable std::map<uint64_t, TableChunks> tables_ GUARDED_BY(mutex_);
    std::map<std::string, std::map<std::string, std::vector<std::string>>> places_ GUARDED_BY(mutex_);
    std::map<std::string, TransactionRecord> records_ GUARDED_BY(mutex_);
    bool stopping_ GUARDED_BY(mutex_) = false;
    bool lost_ GUARDED_BY(mutex_) = false;  // the watch has ended: the state is to be read again

    Mutex readMutex_;
    CondVar readChanged_;
    bool reading_ GUARDED_BY(readMutex_) = false;
    uint64_t readsBegun_ GUARDED_BY(readMutex_) = 0;
    uint64_t readsDone_ GUARDED_BY(readMutex_) = 0;
    uint64_t readRevision_ GUARDED_BY(readMutex_) = 0;  // 0: the last read failed
    std::string readError_ GUARDED_BY(readMutex_);

    std::unique_ptr<MetaStore::Watch> watch_;
    std::thread thread_;  // reads the state again when the watch lost changes
};

}  // namespace pelorus
