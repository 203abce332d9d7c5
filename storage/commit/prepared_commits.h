// Holds the transactions of the cluster that are prepared here and not decided yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/io/bytes.h"
#include "common/thread/mutex.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"
#include "storage/encryption/table_cipher.h"
#include "storage/version/edit.h"

namespace pelorus {

class CommitPath;
struct StorageParts;

// A table of the batches of transactions over several nodes, which are durable and invisible from `prepare` on until
// `applyDecisions` installs or forgets them. They survive a restart. Called by the cluster and recovery. Thread-safe.
// LocalStorage owns it.
class PreparedCommits {
public:
    PreparedCommits(StorageParts& parts, CommitPath& commits) : parts_(parts), commits_(commits) {}

    static constexpr std::chrono::milliseconds kTimeout = std::chrono::seconds(5);
    // Makes the batch durable, invisible until it is decided. Until then its chunks are locked: shared with other
    // appends when it only adds rows, exclusively when it replaces any. `participants` are the nodes that prepare the
    // transaction, for the one that has to settle it. Returns Done, or Busy after `timeout`, or RowsChanged or
    // RowsMoved; for all but the first nothing has changed. Throws SystemError when the disk refuses. REQUIRES: no
    // transaction of that name is prepared.
    CommitResult prepare(const std::string& transaction, const std::vector<std::string>& participants,
                         const WriteBatch& batch, std::chrono::milliseconds timeout = kTimeout);
    // A decision of the cluster on a transaction.
    struct Decision {
        std::string transaction;
        bool commit = false;
        uint64_t number = 0;  // commit timestamp; 0 for an abort
    };
    // Installs the transactions that were committed at one revision of the cluster's store, in the order given, and
    // forgets those that were aborted; transactions that are not prepared here are skipped. The store reports decisions
    // again after a crash, so the call does not wait for the disk, unless files are removed. Throws SystemError when
    // the disk refuses. REQUIRES: commit timestamps ascend, also over all calls.
    void applyDecisions(const std::vector<Decision>& decisions);

    // A prepared transaction without a decision.
    struct OpenTransaction {
        std::string name;
        std::vector<std::string> participants;
        uint64_t number = 0;  // number of its record in the log
        size_t chunks = 0;    // number of chunks that it writes
    };
    // Returns transactions without a decision, oldest first.
    std::vector<OpenTransaction> openTransactions() const;
    bool isPrepared(const std::string& transaction) const;

    // Decodes a record of the log, and holds or decides its transaction. Called by recovery, in the order of numbers.
    // Returns false for a record of another kind. Throws SystemError when it is damaged.
    bool replay(uint64_t number, format::RecordKind kind, ByteReader& reader);
    // Write and read all prepared transactions, as a part of a checkpoint. `withNodes`: it contains participants, too.
    void encode(std::string& bytes) const;
    void restore(ByteReader& reader, bool withNodes);
    // Returns the numbers of the column files that hold prepared rows.
    std::vector<uint64_t> files() const;

private:
    // A prepared transaction with its edits.
    struct Prepared {
        uint64_t number = 0;  // number of its record in the log
        std::vector<std::string> participants;
        std::vector<Edit> edits;
        std::vector<uint64_t> chunks() const;
        bool isExclusive() const;  // it removes rows
    };
    void hold(const std::string& transaction, Prepared prepared) LOCKS_EXCLUDED(mutex_);
    void lockAndHold(const std::string& transaction, Prepared prepared) LOCKS_EXCLUDED(mutex_);
    std::optional<Prepared> take(const std::string& transaction) LOCKS_EXCLUDED(mutex_);
    void install(uint64_t number, const std::vector<Decision>& decisions);

    StorageParts& parts_;
    CommitPath& commits_;
    mutable Mutex mutex_;
    std::map<std::string, Prepared> prepared_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
