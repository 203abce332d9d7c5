#include "runtime/stream/stream_log.h"

#include <algorithm>

#include "common/check.h"
#include "runtime/stream/stream_keeper.h"

namespace pelorus {

std::shared_ptr<StreamLog> StreamLog::withoutRows() const {
    auto log = std::make_shared<StreamLog>();
    const MutexLock lock(mutex_);
    const MutexLock other(log->mutex_);
    log->stampsArrival_ = stampsArrival();
    log->isBounded_ = isBounded();
    log->filterColumn_ = filterColumn_;
    log->bounds_ = bounds_;
    return log;
}

int64_t StreamLog::first() const {
    const MutexLock lock(mutex_);
    return first_;
}

int64_t StreamLog::total() const {
    const MutexLock lock(mutex_);
    return total_;
}

int64_t StreamLog::published() const {
    const std::shared_ptr<StreamKeeper> disk = keeper();
    // Asked first: rows that come meanwhile are not taken for written ones.
    const int64_t written = disk ? disk->written() : StreamKeeper::kWritesNoMore;
    return std::min(total(), written);
}

std::optional<int64_t> StreamLog::endOfAppend(int64_t row) const {
    const MutexLock lock(mutex_);
    if (row < first_) return std::nullopt;
    CHECK(row < total_) << "a row whose append is asked for was written";
    // Rows that were there before the table became a stream have no append of their own: they count as one.
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), row);
    return end == ends_.end() ? total_ : *end;
}

std::vector<int64_t> StreamLog::endsOfAppends(int64_t begin, int64_t end) const {
    const MutexLock lock(mutex_);
    CHECK(begin >= first_ && begin < end && end <= total_) << "rows whose appends are asked for are in memory";
    std::vector<int64_t> ends(std::upper_bound(ends_.begin(), ends_.end(), begin),
                              std::lower_bound(ends_.begin(), ends_.end(), end));
    ends.push_back(end);
    return ends;
}

void StreamLog::appended(int64_t rows) {
    if (rows == 0) return;
    const MutexLock lock(mutex_);
    ends_.push_back(total_ + rows);
    total_ += rows;
}

void StreamLog::purged(int64_t rows) {
    const MutexLock lock(mutex_);
    CHECK(first_ + rows <= total_) << "only rows that were written are purged";
    first_ += rows;
    ends_.erase(ends_.begin(), std::upper_bound(ends_.begin(), ends_.end(), first_));
}

void StreamLog::startAt(int64_t first) {
    const MutexLock lock(mutex_);
    CHECK(first_ == total_) << "rows keep their numbers";
    first_ = total_ = first;
    ends_.clear();
}

void StreamLog::appended(const std::vector<int64_t>& ends) {
    const MutexLock lock(mutex_);
    CHECK(first_ == total_ && ends_.empty()) << "the rows are the first ones of the table";
    if (ends.empty()) return;
    ends_ = ends;
    total_ = ends.back();
}

std::shared_ptr<StreamKeeper> StreamLog::keeper() const {
    if (!isKept_.load(std::memory_order_acquire)) return nullptr;
    const MutexLock lock(mutex_);
    return keeper_;
}

void StreamLog::setKeeper(std::shared_ptr<StreamKeeper> keeper) {
    const MutexLock lock(mutex_);
    keeper_.swap(keeper);  // the former one ends without the mutex
    isKept_.store(keeper_ != nullptr, std::memory_order_release);
}

// Readers are asked without the mutex: the last owner of one may end here, and end it.
std::vector<std::shared_ptr<StreamListener>> StreamLog::listeners() const {
    std::vector<std::shared_ptr<StreamListener>> listeners;
    const MutexLock lock(mutex_);
    for (const auto& weak : listeners_) {
        if (auto listener = weak.lock()) listeners.push_back(std::move(listener));
    }
    return listeners;
}

void StreamLog::wake() {
    if (!isListenedTo_.load(std::memory_order_acquire)) return;
    for (const auto& listener : listeners()) listener->rowsCame();
}

int64_t StreamLog::oldestNeeded() const {
    int64_t oldest = total();
    // Readers of a table that is kept on disk find there what left the memory.
    if (const std::shared_ptr<StreamKeeper> disk = keeper(); disk && disk->written() != StreamKeeper::kWritesNoMore)
        return std::min(oldest, disk->written());
    for (const auto& listener : listeners()) oldest = std::min(oldest, listener->position());
    return oldest;
}

std::shared_ptr<StreamListener> StreamLog::slowest() const {
    std::shared_ptr<StreamListener> slowest;
    for (auto& listener : listeners()) {
        if (!slowest || listener->position() < slowest->position()) slowest = std::move(listener);
    }
    return slowest;
}

void StreamLog::listen(const std::shared_ptr<StreamListener>& listener) {
    const MutexLock lock(mutex_);
    listeners_.push_back(listener);
    isListenedTo_.store(true, std::memory_order_release);
}

void StreamLog::forget(const StreamListener& listener) {
    const MutexLock lock(mutex_);
    std::erase_if(listeners_, [&](const auto& weak) {
        const auto held = weak.lock();
        return !held || held.get() == &listener;
    });
    if (listeners_.empty()) isListenedTo_.store(false, std::memory_order_release);
}

void StreamLog::stampArrival() {
    stampsArrival_.store(true, std::memory_order_release);
}

std::string StreamLog::filterColumn() const {
    const MutexLock lock(mutex_);
    return filterColumn_;
}

void StreamLog::setFilterColumn(std::string name) {
    const MutexLock lock(mutex_);
    filterColumn_ = std::move(name);
}

CacheBounds StreamLog::bounds() const {
    const MutexLock lock(mutex_);
    return bounds_;
}

void StreamLog::setBounds(CacheBounds bounds) {
    const MutexLock lock(mutex_);
    bounds_ = std::move(bounds);
    isBounded_.store(bounds_.rows > 0 || !bounds_.timeColumn.empty(), std::memory_order_release);
}

}  // namespace pelorus
