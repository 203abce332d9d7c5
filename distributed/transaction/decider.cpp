#include "distributed/transaction/decider.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "distributed/metadata/cluster_config.h"

namespace pelorus {

// etcd as it comes takes 128 operations in a transaction, those within it included.
static constexpr size_t kMostAtOnce = 100;

Decider::Decision Decider::decide(const TransactionRecord& record, uint64_t configRevision) {
    CHECK(record.commit) << "an abort needs no configuration";
    Waiting own{record, configRevision};
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
        std::erase_if(waiting_, [&](Waiting* waiting) {
            if (waiting->configRevision != compared || batch.size() == kMostAtOnce) return false;
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
    std::vector<MetaWrite> writes;
    for (const Waiting* waiting : batch)
        writes.push_back({decisionKey(waiting->record.transaction), waiting->record.encode(), 0});
    const MetaAbsentOutcome outcome = store_.putAbsent({{kConfigKey, batch[0]->configRevision}}, writes);
    for (size_t i = 0; i < batch.size(); ++i) {
        if (outcome.done && !outcome.there[i]) {
            batch[i]->decision = Decision::Committed;
            continue;
        }
        // One that was sent before may be decided, whatever the configuration is now.
        const auto there = outcome.done ? outcome.there[i] : store_.get(writes[i].key);
        if (!there) continue;
        const auto record = TransactionRecord::decode(batch[i]->record.transaction, there->value, there->revision);
        batch[i]->decision = record && record->commit ? Decision::Committed : Decision::Aborted;
    }
}

}  // namespace pelorus
