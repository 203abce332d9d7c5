// StreamLog numbers the rows of a stream table, remembers where each append ended, and wakes its readers at new rows.
//
// The first row that was ever written has the number 0; a purge of the oldest rows moves no number.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

class StreamKeeper;

// A reader that wants to know of new rows, such as a subscription.
class StreamListener {
public:
    virtual ~StreamListener() = default;
    // Is called after each append, by its thread, without any lock of the table. Must not wait.
    virtual void rowsCame() = 0;
    // Returns the number of the first row that the reader still needs. Thread-safe; takes no lock.
    virtual int64_t position() const = 0;
    // Returns what errors call it, such as the topic of a subscription.
    virtual std::string describe() const = 0;
    // Returns the thread that handles rows for it now; none while nobody does.
    virtual std::thread::id runner() const = 0;
};

// The bounds in which a stream table keeps its rows in memory. Zero: without bound.
struct CacheBounds {
    int64_t rows = 0;            // purged down to half of it before an append would pass it
    std::string timeColumn;      // purged by its time, when it is not empty
    int64_t intervalNanos = 0;   // when a new row is this much later than the oldest one
    int64_t retentionNanos = 0;  // rows older than this go
    int64_t maxLagRows = 0;      // appends wait while a reader lags behind by more; the table is not on disk
};

// Owned by the table. Thread-safe; its mutex is a leaf, and no listener is called under it.
class StreamLog {
public:
    StreamLog() = default;
    // Makes a log with the columns and bounds of another one, without its rows and listeners.
    std::shared_ptr<StreamLog> withoutRows() const;

    // Returns the number of the oldest row in memory.
    int64_t first() const;
    // Returns the number that the next row gets.
    int64_t total() const;
    // Returns the number that the next row gets for readers: of a table that is kept on disk, those not yet written
    // are not published.
    int64_t published() const;
    // Returns the end of the append that wrote the row; nothing when the row has left the memory. REQUIRES: row <
    // total().
    std::optional<int64_t> endOfAppend(int64_t row) const;
    // Returns the ends of the appends that wrote the rows of a range. REQUIRES: first() <= begin < end <= total().
    std::vector<int64_t> endsOfAppends(int64_t begin, int64_t end) const;
    // Notes an append of so many rows; `purged` notes that the oldest rows left the memory. Called under the table's
    // lock.
    void appended(int64_t rows);
    void purged(int64_t rows);
    // Sets the numbers of an empty table: its first row gets the number `first`.
    void startAt(int64_t first);
    // Notes the ends of the appends of the rows that an empty table got at once.
    void appended(const std::vector<int64_t>& ends);

    // What keeps the rows on disk; null when nothing does.
    std::shared_ptr<StreamKeeper> keeper() const;
    void setKeeper(std::shared_ptr<StreamKeeper> keeper);

    // Calls the listeners. REQUIRES: the caller holds no lock.
    void wake();
    // Returns the number of the first row that must stay in memory: the first one that some reader still needs, or that
    // is not on disk yet; total() when there is none.
    int64_t oldestNeeded() const;
    bool hasListeners() const { return !listeners().empty(); }
    // Returns the reader with the lowest position; null when there is none.
    std::shared_ptr<StreamListener> slowest() const;
    void listen(const std::shared_ptr<StreamListener>& listener);
    void forget(const StreamListener& listener);

    // Returns whether the last column gets the time of arrival, so that writers leave it out.
    bool stampsArrival() const { return stampsArrival_.load(std::memory_order_acquire); }
    void stampArrival();
    // The column by which subscriptions filter; empty when there is none.
    std::string filterColumn() const;
    void setFilterColumn(std::string name);
    bool isBounded() const { return isBounded_.load(std::memory_order_acquire); }
    CacheBounds bounds() const;
    void setBounds(CacheBounds bounds);

private:
    std::vector<std::shared_ptr<StreamListener>> listeners() const;

    std::atomic<bool> stampsArrival_{false}, isBounded_{false};
    std::atomic<bool> isKept_{false};
    std::atomic<bool> isListenedTo_{false};  // may be true for a while after the last reader has gone
    mutable Mutex mutex_;
    int64_t first_ GUARDED_BY(mutex_) = 0;
    int64_t total_ GUARDED_BY(mutex_) = 0;
    std::vector<int64_t> ends_ GUARDED_BY(mutex_);  // ends of the appends whose rows are in memory, ascending
    std::vector<std::weak_ptr<StreamListener>> listeners_ GUARDED_BY(mutex_);
    std::string filterColumn_ GUARDED_BY(mutex_);
    CacheBounds bounds_ GUARDED_BY(mutex_);
    std::shared_ptr<StreamKeeper> keeper_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
