// Remembers the ids of appends: an append that is sent again, because its first answer was lost, gets that answer again
// instead of storing its rows twice.
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

// A table from the ids of the newest 16,384 appends to the numbers of their commits. Ids are edits of the log's records
// and part of checkpoints, so that they survive a restart. StorageParts owns it; CommitPath takes turns and notes
// commits. Thread-safe.
class IdempotencyTable {
public:
    // A turn of an append: the right to carry it out, or the answer of an earlier one with the same id. The constructor
    // waits while another append with this id has its turn. An empty id gets a turn at once. The table outlives it.
    class Turn {
    public:
        Turn(IdempotencyTable& table, std::string id);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        // Returns the number of the commit of an earlier append; 0: the caller is to carry it out.
        uint64_t answer() const { return answer_; }

    private:
        IdempotencyTable& table_;
        const std::string id_;  // empty: nothing is remembered
        uint64_t answer_ = 0;
    };

    // Notes the commit of an append; forgets the oldest id when there are too many.
    void note(const std::string& id, uint64_t number);
    // Returns all ids with the numbers of their commits, oldest first.
    std::vector<std::pair<std::string, uint64_t>> all() const;

private:
    static constexpr size_t kKept = 16384;

    mutable Mutex mutex_;
    CondVar ended_;
    std::set<std::string> running_ GUARDED_BY(mutex_);  // ids of appends that have their turn
    std::unordered_map<std::string, uint64_t> numbers_ GUARDED_BY(mutex_);
    std::deque<std::string> order_ GUARDED_BY(mutex_);  // oldest first
};

}  // namespace pelorus
