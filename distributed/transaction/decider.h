// Sends transactions for decision, several at once: what comes while one transaction of the metadata store is under way
// goes into the next one.
//
// Thread-safe.
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

class Decider {
public:
    explicit Decider(MetaStore& store) : store_(store) {}

    // Puts a record of a commit unless there is a record, if the configuration has that revision and the tables have
    // these entries. Throws SystemError when the store does not answer: whether it was decided is unknown then.
    Decision decide(const TransactionRecord& record, uint64_t configRevision, const std::vector<MetaCondition>& tables);

private:
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
