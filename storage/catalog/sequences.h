// Sequences: numbers that are given once each, across sessions, restarts and crashes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"

namespace pelorus {

// A sequence, as the catalog stores it. A plain value.
struct SequenceEntry {
    std::string database;  // path
    std::string name;
    int64_t start = 1, increment = 1, minimum = 1, maximum = INT64_MAX;
    bool cycles = false;
    int bytes = 8;  // of its numbers, for clients
    // The table that it goes with, by id, and the stored name of the column that it numbers; 0: none.
    uint64_t ownerTable = 0;
    std::string ownerColumn;

    int64_t next = 1;         // first number that nobody has been given
    bool isEnded = false;     // the last number before `next` was the last of all
    uint64_t generation = 0;  // another one after each change that is no giving of numbers
    uint64_t revision = 0;
};

// The sequences over a store, which outlives it. A process takes 32 numbers at a time, by one durable transaction of
// the store, and gives them away from memory: a restart leaves gaps, and never a number twice. It knows, too, which
// number each session was given last. Thread-safe. Calls throw UserError (<NoSuchSequence>) where there is no sequence
// of the name, and SystemError where the store does not answer.
class Sequences {
public:
    using Store = std::function<MetaStore&()>;
    explicit Sequences(Store store) : store_(std::move(store)) {}

    // Throws UserError (<DuplicateName>) when it exists.
    void create(SequenceEntry sequence);
    std::optional<SequenceEntry> find(const std::string& database, const std::string& name) const;
    // Returns the sequences of a database in the order of their names.
    std::vector<SequenceEntry> all(const std::string& database) const;
    // Changes a sequence. `change` may be called more than once, and calls nothing of this object.
    void change(const std::string& database, const std::string& name,
                const std::function<void(SequenceEntry& sequence)>& change);
    void drop(const std::string& database, const std::string& name);

    // Returns the next numbers. Throws UserError (<SequenceEnd>) when there are not so many: some may be lost then.
    std::vector<int64_t> take(const std::string& database, const std::string& name, int64_t count, int64_t session);
    // Makes the next number `value`, or the one behind it where that `isGiven`.
    void set(const std::string& database, const std::string& name, int64_t value, bool isGiven, int64_t session);
    // Returns the number that the session was given last, of this sequence or of any. Throws UserError
    // (<NotYetDefined>) for none.
    int64_t current(const std::string& database, const std::string& name, int64_t session) const;
    int64_t last(int64_t session) const;

private:
    using Key = std::pair<std::string, std::string>;
    // Numbers of one sequence that were taken and not given. Its mutex is held while the store makes a transaction of
    // the sequence durable: who needs its numbers waits, and nobody else.
    struct Taken {
        Mutex mutex;
        uint64_t generation GUARDED_BY(mutex) = 0;
        std::vector<int64_t> numbers GUARDED_BY(mutex);
        size_t given GUARDED_BY(mutex) = 0;
    };
    struct SessionNumbers {
        std::map<Key, int64_t> last;
        Key newest;
    };
    std::shared_ptr<Taken> takenOf(const Key& key);
    void forget(const Key& key, const std::shared_ptr<Taken>& taken);
    void refill(const Key& key, Taken& taken, int64_t count) const EXCLUSIVE_LOCKS_REQUIRED(taken.mutex);
    static void giveBack(const Taken& taken, SequenceEntry& sequence) EXCLUSIVE_LOCKS_REQUIRED(taken.mutex);
    void note(const Key& key, int64_t value, int64_t session) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const Store store_;
    mutable Mutex mutex_;  // nothing is waited for while it is held
    std::map<Key, std::shared_ptr<Taken>> taken_ GUARDED_BY(mutex_);
    std::map<int64_t, SessionNumbers> sessions_ GUARDED_BY(mutex_);
};

// Returns the writes that remove the sequences of a database; of one table alone when `ownerTable` is not 0.
std::vector<MetaWrite> removalsOfSequences(MetaStore& store, const std::string& database, uint64_t ownerTable);

}  // namespace pelorus
