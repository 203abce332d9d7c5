// Idempotency table: from the ids of appends to their results. An append that is sent again, because its first answer
// was lost, gets that answer again instead of storing its rows twice.
//
// Thread-safe. Ids are records of the log and part of checkpoints, so that they survive a restart.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

class IdempotencyTable {
public:
    // Right to do the append of this id, or its answer. Waits for the first append while that is under way.
    class Turn {
    public:
        Turn(IdempotencyTable& table, std::string id);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        // Returns the number of its commit; 0: it is to be done.
        uint64_t answer() const { return answer_; }

    private:
        IdempotencyTable& table_;
        const std::string id_;  // empty: nothing is remembered
        uint64_t answer_ = 0;
    };

    void note(const std::string& id, uint64_t number);
    // Returns all ids, oldest first.
    std::vector<std::pair<std::string, uint64_t>> all() const;

private:
    static constexpr size_t kKept = 16384;

    mutable Mutex mutex_;
    CondVar ended_;
    std::set<std::string> running_ GUARDED_BY(mutex_);
    std::unordered_map<std::string, uint64_t> numbers_ GUARDED_BY(mutex_);
    std::deque<std::string> order_ GUARDED_BY(mutex_);  // oldest first
};

}  // namespace pelorus
