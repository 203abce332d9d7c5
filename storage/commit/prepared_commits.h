// Transactions of the cluster that are prepared here and not decided yet.
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

// Batches of transactions over several nodes, durable and invisible from `prepare` on until `applyDecisions` installs
// or forgets them. They survive a restart. Thread-safe. LocalStorage owns it.
class PreparedCommits {
public:
    PreparedCommits(StorageParts& parts, CommitPath& commits) : parts_(parts), commits_(commits) {}

    static constexpr std::chrono::milliseconds kTimeout = std::chrono::seconds(5);
    // Prepares the batch. Until it is decided other appends may go to chunks that it only adds rows to, and changes
    // wait; when it replaces any rows, everybody waits for all its chunks. `participants` are the nodes that prepare
    // it, for whoever has to settle it. Returns Done, or Busy after `timeout`, or RowsChanged or RowsMoved.
    CommitResult prepare(const std::string& transaction, const std::vector<std::string>& participants,
                         const WriteBatch& batch, std::chrono::milliseconds timeout = kTimeout);
    struct Decision {
        std::string transaction;
        bool commit = false;
        uint64_t number = 0;  // of a commit: its commit timestamp
    };
    // Installs or forgets what was decided at one revision of the cluster's store, in the order given; what is not
    // prepared here is skipped. The store tells it again after a crash, so the disk is not waited for, unless files are
    // removed. REQUIRES: commit timestamps ascend, over all calls too.
    void applyDecisions(const std::vector<Decision>& decisions);

    struct OpenTransaction {
        std::string name;
        std::vector<std::string> participants;
        uint64_t number = 0;  // that prepare got
        size_t chunks = 0;    // how many it writes
    };
    // Returns transactions without a decision, oldest first.
    std::vector<OpenTransaction> openTransactions() const;
    bool isPrepared(const std::string& transaction) const;

    // Decodes a record of the log, and holds or decides what it says. Called by recovery, in the order of numbers.
    // Returns false for a record of another kind.
    bool replay(uint64_t number, format::RecordKind kind, ByteReader& reader);
    // Writes and reads all that is prepared, as a part of a checkpoint. `withNodes`: participants are in it, too.
    void encode(std::string& bytes) const;
    void restore(ByteReader& reader, bool withNodes);
    // Returns the numbers of the column files that hold prepared rows.
    std::vector<uint64_t> files() const;

private:
    struct Prepared {
        uint64_t number = 0;
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
