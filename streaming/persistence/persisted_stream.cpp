#include "streaming/persistence/persisted_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_keys.h"

namespace pelorus {

static constexpr int64_t kMaxRowsOfWrite = int64_t{1} << 18;
static constexpr auto kRoomTimeout = std::chrono::seconds(30);
static constexpr int64_t kNanosPerMinute = 60'000'000'000;

PersistedStream::PersistedStream(std::string name, std::shared_ptr<StreamStore> store, PersistenceOptions options,
                                 std::function<void()> wakeWorker)
    : name_(std::move(name)),
      store_(std::move(store)),
      options_(options),
      wakeWorker_(std::move(wakeWorker)),
      written_(store_->range().second) {}

void PersistedStream::load(MemoryTable& table, int64_t rows) {
    const auto [first, total] = store_->range();
    const int64_t begin = std::max(first, total - std::max<int64_t>(rows, 0));
    StreamRows found = begin < total ? store_->read(begin, total - begin) : StreamRows();
    const OptionalLock lock(table.lock.get());
    table.stream->startAt(begin);
    if (!found.rows) return;
    for (int c = 0; c < table.columnCount(); ++c)
        table.mutableColumns()[static_cast<size_t>(c)] = found.rows->column(c);
    if (table.keys()) table.keys()->forgetRows();
    table.stream->appended(found.ends);
}

StreamSync PersistedStream::syncOfWrites() const {
    if (options_.syncsEachWrite) return StreamSync::Always;
    return options_.isAsynchronous ? StreamSync::Later : StreamSync::AsSet;
}

void PersistedStream::noteWritten(int64_t end) {
    const MutexLock lock(mutex_);
    written_.store(end, std::memory_order_release);
    error_.clear();
    changed_.notifyAll();
}

bool PersistedStream::writeWaiting(const MemoryTable& table) {
    const MutexLock step(step_);
    const StreamLog& log = *table.stream;
    if (isClosed() || isEnded_ || log.total() <= written()) return false;
    try {
        const int64_t begin = written();
        Ref<MemoryTable> rows;
        std::vector<int64_t> ends;
        {
            const OptionalLock lock(table.lock.get());
            int64_t end = log.total();
            if (end - begin > kMaxRowsOfWrite) end = log.endOfAppend(begin + kMaxRowsOfWrite - 1).value_or(end);
            rows = table.slice(begin - log.first(), end - begin);
            ends = log.endsOfAppends(begin, end);
        }
        for (int64_t& end : ends) end -= begin;
        store_->append(rows, ends, syncOfWrites());
        noteWritten(begin + rows->rowCount());
    } catch (const std::exception& error) {
        const MutexLock lock(mutex_);
        if (error_ != error.what())
            logError("streaming", "rows of a stream table can't be written", {{"table", name_}, {"why", error.what()}});
        error_ = error.what();
        waiting_.store(log.total() - written(), std::memory_order_relaxed);
        changed_.notifyAll();
        return false;
    }
    table.stream->wake();
    waiting_.store(std::max<int64_t>(log.total() - written(), 0), std::memory_order_relaxed);
    return log.total() > written();
}

void PersistedStream::write(const Ref<MemoryTable>& rows) {
    const MutexLock step(step_);
    if (isClosed()) return;
    requireNotEnded();
    store_->append(rows, {rows->rowCount()}, syncOfWrites());
    noteWritten(written() + rows->rowCount());
}

void PersistedStream::rowsCame() {
    wakeWorker_();
}

void PersistedStream::awaitRoom(int64_t total) {
    MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + kRoomTimeout;
    const int64_t mayWait = options_.isAsynchronous ? options_.maxWaitingRows : 0;
    while (!isClosed()) {
        requireNotEnded();
        if (!error_.empty())
            throw SystemError(
                fmt::format("The stream table {} takes no rows until those before are on disk. {}", name_, error_),
                "It goes on by itself once the disk takes them.", true);
        if (total - written() > mayWait) {
            wakeWorker_();
            if (changed_.waitUntil(lock, deadline)) continue;
            throw SystemError(
                fmt::format("The stream table {} takes no rows: {} rows wait for the disk.", name_, total - written()),
                "Append less at a time, or raise maxPersistenceQueueDepth.", true);
        }
        return;
    }
}

int64_t PersistedStream::oldest() const {
    return store_->range().first;
}

int64_t PersistedStream::rowsOnDisk() const {
    const auto [first, total] = store_->range();
    return total - first;
}

StreamRows PersistedStream::read(int64_t row, int64_t count) const {
    return store_->read(row, count);
}

void PersistedStream::removeOld(int64_t nanos) {
    const int64_t minutes = std::min(options_.retentionMinutes, nanos / kNanosPerMinute);
    const int64_t removed = store_->removeBefore(nanos - minutes * kNanosPerMinute);
    if (removed > 0) logInfo("streaming", "old rows were removed from disk", {{"table", name_}, {"rows", removed}});
}

void PersistedStream::requireNotEnded() const {
    if (isEnded_) throw SystemError(fmt::format("The stream table {} takes no rows: the node stops.", name_));
}

void PersistedStream::end() {
    const MutexLock step(step_);
    isEnded_ = true;
    const MutexLock lock(mutex_);
    changed_.notifyAll();
}

void PersistedStream::close() {
    const MutexLock step(step_);
    noteWritten(kWritesNoMore);
}

std::string PersistedStream::error() const {
    const MutexLock lock(mutex_);
    return error_;
}

}  // namespace pelorus
