#include "common/meta_store.h"

#include <algorithm>

namespace pelorus {

// This serves stores whose transactions cannot decide by key: it tries again until no other transaction interferes.
MetaAbsentOutcome MetaStore::putAbsent(const std::vector<MetaCondition>& conditions, const std::vector<MetaPut>& puts) {
    const auto holds = [this](const MetaCondition& condition) {
        const auto entry = get(condition.key);
        return (entry ? entry->revision : 0) == condition.revision;
    };
    for (;;) {
        MetaAbsentOutcome outcome;
        std::vector<MetaCondition> all = conditions;
        std::vector<MetaWrite> writes;
        for (const MetaPut& put : puts) {
            MetaAbsentOutcome::Key& key = outcome.keys.emplace_back();
            key.there = get(put.write.key);
            all.push_back({put.write.key, key.there ? key.there->revision : 0});
            if (key.there || !std::all_of(put.conditions.begin(), put.conditions.end(), holds)) continue;
            all.insert(all.end(), put.conditions.begin(), put.conditions.end());
            writes.push_back(put.write);
            key.isWritten = true;
        }
        const MetaOutcome done = transact(all, writes);
        outcome.done = done.done;
        outcome.revision = done.revision;
        if (done.done || !std::all_of(conditions.begin(), conditions.end(), holds)) return outcome;
    }
}

namespace {

thread_local bool isInMoment = false;
thread_local bool isMomentRead = false;

}  // namespace

MetaMoment::MetaMoment(Begin begin) : isOuter_(!isInMoment) {
    if (!isOuter_) return;
    isInMoment = true;
    isMomentRead = begin == Begin::Before;
}

MetaMoment::~MetaMoment() {
    if (!isOuter_) return;
    isInMoment = false;
    isMomentRead = false;
}

bool MetaMoment::isRead() {
    return isMomentRead;
}

void MetaMoment::noteRead() {
    isMomentRead = isInMoment;
}

}  // namespace pelorus
