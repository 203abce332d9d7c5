// Progress of a long statement: how much of its work is done, read by clients while the statement runs.
#pragma once

#include <atomic>
#include <cstdint>

namespace pelorus {

enum class ProgressUnit : uint8_t { Rows, Bytes, Tasks };

// The counters of one request. Thread-safe: the threads of the request write, any thread reads. Only one phase is
// active at a time; a phase that begins inside another one counts nothing (an import appends rows, but the bytes of the
// file measure its progress).
class Progress {
public:
    struct Snapshot {
        const char* work = nullptr;  // "import", "append", "query" …; nullptr: no phase is active
        ProgressUnit unit = ProgressUnit::Rows;
        int64_t done = 0;
        int64_t total = 0;  // 0: unknown
    };
    // Returns a consistent state of one phase: never the work done in one and the total of the next.
    Snapshot snapshot() const {
        for (;;) {
            const uint32_t change = changes_.load(std::memory_order_acquire);
            Snapshot seen;
            seen.work = work_.load(std::memory_order_relaxed);
            if (seen.work) {
                seen.unit = unit_.load(std::memory_order_relaxed);
                seen.done = done_.load(std::memory_order_relaxed);
                seen.total = total_.load(std::memory_order_relaxed);
            }
            std::atomic_thread_fence(std::memory_order_acquire);
            if (change % 2 == 0 && changes_.load(std::memory_order_relaxed) == change) return seen;
        }
    }

    // The numbers of rows that append! and upsert! have added to tables, and replaced in them: a console says so
    // instead of showing the table.
    struct ChangedRows {
        int64_t appended = 0;
        int64_t replaced = 0;
    };
    ChangedRows changedRows() const {
        return {appended_.load(std::memory_order_relaxed), replaced_.load(std::memory_order_relaxed)};
    }
    void addChangedRows(int64_t appended, int64_t replaced) {
        appended_.fetch_add(appended, std::memory_order_relaxed);
        replaced_.fetch_add(replaced, std::memory_order_relaxed);
    }
    // Rows that appends were given and did not store, since no partition takes them.
    int64_t droppedRows() const { return dropped_.load(std::memory_order_relaxed); }
    void addDroppedRows(int64_t rows) { dropped_.fetch_add(rows, std::memory_order_relaxed); }
    // Resets the counters before the next statement. REQUIRES: no phase is active.
    void clear() {
        appended_.store(0, std::memory_order_relaxed);
        replaced_.store(0, std::memory_order_relaxed);
        dropped_.store(0, std::memory_order_relaxed);
    }

private:
    friend class ProgressPhase;
    std::atomic<int64_t> appended_{0}, replaced_{0}, dropped_{0};
    std::atomic<bool> taken_{false};
    std::atomic<uint32_t> changes_{0};  // odd while a phase begins or ends
    std::atomic<const char*> work_{nullptr};
    std::atomic<ProgressUnit> unit_{ProgressUnit::Rows};
    std::atomic<int64_t> done_{0}, total_{0};
};

// One phase of a request's work, active while the object lives. Costs nothing when there is no Progress.
class ProgressPhase {
public:
    // `progress` may be nullptr; `work` must be a string literal; `total` is 0 when it is unknown.
    ProgressPhase(Progress* progress, const char* work, ProgressUnit unit, int64_t total) {
        if (!progress || progress->taken_.exchange(true, std::memory_order_acquire)) return;
        progress_ = progress;
        change(work, unit, total);
    }
    ~ProgressPhase() {
        if (!progress_) return;
        change(nullptr, ProgressUnit::Rows, 0);
        progress_->taken_.store(false, std::memory_order_release);
    }
    ProgressPhase(const ProgressPhase&) = delete;
    ProgressPhase& operator=(const ProgressPhase&) = delete;

    // Adds work that is done, on any thread; once per block or batch of rows, not per row.
    void add(int64_t count) {
        if (progress_) progress_->done_.fetch_add(count, std::memory_order_relaxed);
    }

private:
    // A sequence lock: `taken_` keeps other writers out.
    void change(const char* work, ProgressUnit unit, int64_t total) {
        progress_->changes_.fetch_add(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        progress_->work_.store(work, std::memory_order_relaxed);
        progress_->unit_.store(unit, std::memory_order_relaxed);
        progress_->done_.store(0, std::memory_order_relaxed);
        progress_->total_.store(total, std::memory_order_relaxed);
        progress_->changes_.fetch_add(1, std::memory_order_release);
    }

    Progress* progress_ = nullptr;
};

}  // namespace pelorus
