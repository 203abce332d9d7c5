#include "distributed/transaction/decider.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "distributed/metadata/cluster_config.h"

namespace pelorus {

// By default etcd accepts 128 operations in a transaction: the puts, and the conditions of the nested transaction that
// has the most.
static constexpr size_t kMaxOperations = 120;

Decision Decider::decide(const TransactionRecord& record, uint64_t configRevision,
                         const std::vector<MetaCondition>& tables) {
    CHECK(record.commit) << "an abort needs no configuration";
    Waiting own{record, configRevision, tables};
    MutexLock lock(mutex_);
    waiting_.push_back(&own);
    while (!own.isOver) {
        if (isSending_) {
            changed_.wait(lock);
            continue;
        }
        // The batch compares the configuration of the first one that waits.
        std::vector<Waiting*> batch;
        const uint64_t compared = waiting_.front()->configRevision;
        size_t mostTables = 0;
        std::erase_if(waiting_, [&](Waiting* waiting) {
            const size_t most = std::max(mostTables, waiting->tables.size());
            const bool fits = batch.empty() || batch.size() + 1 + most <= kMaxOperations;
            if (waiting->configRevision != compared || !fits) return false;
            mostTables = most;
            waiting->record.place = batch.size();
            batch.push_back(waiting);
            return true;
        });
        isSending_ = true;
        lock.unlock();
        std::exception_ptr error;
        try {
            send(batch);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        isSending_ = false;
        for (Waiting* waiting : batch) {
            waiting->error = error;
            waiting->isOver = true;
        }
        changed_.notifyAll();
    }
    if (own.error) std::rethrow_exception(own.error);
    return own.decision;
}

void Decider::send(const std::vector<Waiting*>& batch) {
    std::vector<MetaPut> puts;
    for (const Waiting* waiting : batch) {
        puts.push_back({{decisionKey(waiting->record.transaction), waiting->record.encode(), 0}, waiting->tables});
    }
    const MetaAbsentOutcome outcome = store_.putAbsent({{kConfigKey, batch[0]->configRevision}}, puts);
    for (size_t i = 0; i < batch.size(); ++i) {
        if (outcome.done && outcome.keys[i].isWritten) {
            batch[i]->decision = Decision::Committed;
            continue;
        }
        // A transaction that was sent before may be decided, whatever the configuration is now.
        const auto there = outcome.done ? outcome.keys[i].there : store_.get(puts[i].write.key);
        if (!there) {
            if (outcome.done) batch[i]->decision = Decision::TableChanged;
            continue;
        }
        const auto record = TransactionRecord::decode(batch[i]->record.transaction, there->value, there->revision);
        batch[i]->decision = record && record->commit ? Decision::Committed : Decision::Aborted;
    }
}

}  // namespace pelorus
