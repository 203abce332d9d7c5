#include "common/meta_store.h"

namespace pelorus {

// For stores that can't put several conditions into one transaction: tried until nobody comes in between.
MetaAbsentOutcome MetaStore::putAbsent(const std::vector<MetaCondition>& conditions,
                                       const std::vector<MetaWrite>& writes) {
    for (;;) {
        MetaAbsentOutcome outcome;
        std::vector<MetaCondition> all = conditions;
        std::vector<MetaWrite> missing;
        for (const MetaWrite& write : writes) {
            outcome.there.push_back(get(write.key));
            all.push_back({write.key, outcome.there.back() ? outcome.there.back()->revision : 0});
            if (!outcome.there.back()) missing.push_back(write);
        }
        const MetaOutcome done = transact(all, missing);
        outcome.done = done.done;
        outcome.revision = done.revision;
        if (done.done) return outcome;
        for (const MetaCondition& condition : conditions) {
            const auto entry = get(condition.key);
            if ((entry ? entry->revision : 0) != condition.revision) return outcome;
        }
    }
}

}  // namespace pelorus
