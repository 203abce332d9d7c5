// Sends transactions to the metadata store for decision, several at once: those that come while one transaction of the
// store is under way go into the next one.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/transaction/attempt.h"

namespace pelorus {

// A group commit of decisions. Coordinator owns it; each of its threads that decides a transaction calls it, and one of
// them sends for all. The store outlives it. Thread-safe.
class Decider {
public:
    explicit Decider(MetaStore& store) : store_(store) {}

    // Writes a record of a commit, unless the transaction has a record, if the configuration has that revision and the
    // tables have these entries. Returns after the store has answered. Throws SystemError when the store does not
    // answer: whether the transaction was decided is unknown then. REQUIRES: the record is one of a commit.
    Decision decide(const TransactionRecord& record, uint64_t configRevision, const std::vector<MetaCondition>& tables);

private:
    // A call that waits for its decision.
    struct Waiting {
        TransactionRecord record;
        uint64_t configRevision = 0;
        std::vector<MetaCondition> tables;
        bool isOver = false;
        Decision decision = Decision::Refused;
        std::exception_ptr error;
    };
    void send(const std::vector<Waiting*>& batch);

    MetaStore& store_;
    Mutex mutex_;
    CondVar changed_;
    std::vector<Waiting*> waiting_ GUARDED_BY(mutex_);
    bool isSending_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
