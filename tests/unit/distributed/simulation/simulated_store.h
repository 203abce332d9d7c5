// A metadata store in memory, for many nodes in one thread: a transaction happens at once, and each node reads the
// changes at its own pace.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/meta_store.h"

namespace pelorus::testing {

class SimulatedStore {
public:
    uint64_t revision() const { return history_.size(); }
    // Returns the revision of the newest change that a transaction made.
    uint64_t clock() const { return clock_; }

    MetaRead readAll() const {
        MetaRead read{revision(), {}};
        for (const auto& [key, entry] : entries_) read.entries.push_back(entry);
        return read;
    }

    std::optional<MetaEntry> get(const std::string& key) const {
        const auto it = entries_.find(key);
        return it == entries_.end() ? std::nullopt : std::optional(it->second);
    }

    MetaOutcome transact(const std::vector<MetaCondition>& conditions, std::vector<MetaWrite> writes) {
        if (!holds(conditions)) return {false, revision()};
        writes.push_back({kClockKey, "", 0});
        clock_ = revision() + 1;
        change(writes);
        return {true, clock_};
    }

    MetaAbsentOutcome putAbsent(const std::vector<MetaCondition>& conditions, const std::vector<MetaPut>& puts) {
        MetaAbsentOutcome outcome;
        std::vector<MetaWrite> writes;
        for (const MetaPut& put : puts) {
            MetaAbsentOutcome::Key& key = outcome.keys.emplace_back();
            key.there = get(put.write.key);
            key.isWritten = !key.there && holds(put.conditions);
            if (key.isWritten) writes.push_back(put.write);
        }
        const MetaOutcome done = transact(conditions, writes);
        outcome.done = done.done;
        outcome.revision = done.revision;
        return outcome;
    }

    // A revision that no transaction makes.
    void endLease() { change({{"alive/x", std::nullopt, 0}}); }

    // Goes back to what it was at a revision.
    void setBack(uint64_t revision) {
        const std::vector<std::vector<MetaChange>> history(history_.begin(),
                                                           history_.begin() + static_cast<int64_t>(revision));
        *this = SimulatedStore();
        for (const std::vector<MetaChange>& changes : history) {
            std::vector<MetaWrite> writes;
            for (const MetaChange& change : changes) {
                writes.push_back({change.key, change.value, 0});
                if (change.key == kClockKey) clock_ = change.revision;
            }
            this->change(writes);
        }
    }

    // Returns what changed at a revision, from 1 on.
    const std::vector<MetaChange>& changesAt(uint64_t revision) const { return history_[revision - 1]; }

private:
    bool holds(const std::vector<MetaCondition>& conditions) const {
        return std::all_of(conditions.begin(), conditions.end(), [this](const MetaCondition& condition) {
            const auto it = entries_.find(condition.key);
            return (it == entries_.end() ? 0 : it->second.revision) == condition.revision;
        });
    }

    void change(const std::vector<MetaWrite>& writes) {
        std::vector<MetaChange> changes;
        for (const MetaWrite& write : writes) {
            changes.push_back({write.key, write.value, revision() + 1});
            if (write.value) {
                entries_[write.key] = {write.key, *write.value, revision() + 1};
            } else {
                entries_.erase(write.key);
            }
        }
        history_.push_back(std::move(changes));
    }

    std::map<std::string, MetaEntry> entries_;
    std::vector<std::vector<MetaChange>> history_;
    uint64_t clock_ = 0;
};

}  // namespace pelorus::testing
