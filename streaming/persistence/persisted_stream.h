// PersistedStream writes the rows of one stream table to the node's disk.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/thread/mutex.h"
#include "runtime/append/stream_store.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/table/table.h"

namespace pelorus {

// The arguments with which a table is kept on disk.
struct PersistenceOptions {
    bool isAsynchronous = true;  // an append returns once its rows are in memory
    bool isCompressed = true;    // only reported: column files are always compressed
    int64_t retentionMinutes = 1440;
    bool syncsEachWrite = false;  // flushMode=1
    int64_t maxWaitingRows = 10'000'000;
};

// The keeper of one table. In asynchronous mode a worker writes what waits in the table, as a reader that is one step
// ahead of all others: rows are published once they are in the node's log, so that nothing that a handler writes is in
// the log before the rows that it was made from. In synchronous mode the thread that appends writes. Thread-safe.
class PersistedStream final : public StreamKeeper {
public:
    // `wakeWorker` is called when rows wait; it must not wait.
    PersistedStream(std::string name, std::shared_ptr<StreamStore> store, PersistenceOptions options,
                    std::function<void()> wakeWorker);

    const std::string& name() const { return name_; }
    const PersistenceOptions& options() const { return options_; }

    // Puts the newest `rows` rows on disk into the empty table, whole appends, and lets its numbers go on after them.
    void load(MemoryTable& table, int64_t rows);
    // Writes rows that wait in the table, and wakes its readers; returns whether more wait. When the disk refuses, the
    // error is kept, and the table takes no rows until a later call has written these.
    bool writeWaiting(const MemoryTable& table);
    // Removes rows that arrived before the time of retention, counted from `nanos`, in whole files.
    void removeOld(int64_t nanos);
    // Writes no more: later rows stay in memory only. Those on disk can still be read. Waits for a write under way.
    void close();
    // Writes no more, and refuses later appends: the node stops. Waits for a write under way.
    void end();
    bool isClosed() const { return written() == kWritesNoMore; }

    // Returns the number of rows on disk.
    int64_t rowsOnDisk() const;
    // Returns how many rows waited for the worker when it last looked.
    int64_t waitingRows() const { return waiting_.load(std::memory_order_relaxed); }
    // Returns why nothing can be written; empty while the disk takes rows.
    std::string error() const;

    int64_t written() const override { return written_.load(std::memory_order_acquire); }
    bool isSynchronous() const override { return !options_.isAsynchronous && !isClosed(); }
    void awaitRoom(int64_t total) override;
    void write(const Ref<MemoryTable>& rows) override;
    void rowsCame() override;
    int64_t oldest() const override;
    StreamRows read(int64_t row, int64_t count) const override;

private:
    void noteWritten(int64_t end);
    StreamSync syncOfWrites() const;
    void requireNotEnded() const;

    const std::string name_;
    const std::shared_ptr<StreamStore> store_;
    const PersistenceOptions options_;
    const std::function<void()> wakeWorker_;
    Mutex step_;  // orders steps: one write at a time; held while the disk works
    std::atomic<int64_t> written_;
    std::atomic<int64_t> waiting_{0};
    std::atomic<bool> isEnded_{false};
    mutable Mutex mutex_;
    CondVar changed_;
    std::string error_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
