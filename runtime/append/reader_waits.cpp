#include "runtime/append/reader_waits.h"

#include <fmt/format.h>

#include <map>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"

namespace pelorus {

namespace {

using Listener = std::shared_ptr<StreamListener>;

constexpr auto kLookPeriod = std::chrono::milliseconds(1);

// The threads that wait, each for a reader. A wait is added under the mutex after a look for a circle, so that the last
// one that would close it finds it.
class Waits {
public:
    // Notes that the thread waits, or returns the readers of the circle that this would close.
    std::vector<Listener> add(std::thread::id thread, const Listener& reader) {
        const MutexLock lock(mutex_);
        std::vector<Listener> circle = {reader};
        for (std::thread::id next = reader->runner(); circle.size() <= waits_.size() + 1;
             next = circle.back()->runner()) {
            if (next == thread) return circle;
            const auto found = waits_.find(next);
            if (found == waits_.end()) break;
            circle.push_back(found->second);
        }
        waits_[thread] = reader;
        return {};
    }
    void remove(std::thread::id thread) {
        Listener freed;  // without the mutex
        const MutexLock lock(mutex_);
        const auto found = waits_.find(thread);
        if (found == waits_.end()) return;
        freed = std::move(found->second);
        waits_.erase(found);
    }

private:
    Mutex mutex_;
    std::map<std::thread::id, Listener> waits_ GUARDED_BY(mutex_);
};

Waits& waits() {
    static Waits all;
    return all;
}

// A wait of this thread, until the end of the block.
struct Wait {
    ~Wait() { waits().remove(std::this_thread::get_id()); }
};

[[noreturn]] void throwCircle(const std::vector<Listener>& circle) {
    std::string names;
    for (const Listener& reader : circle) names += (names.empty() ? "" : ", ") + reader->describe();
    throw UserError(fmt::format("The stream table takes no rows: handlers wait for each other in a circle: {}.", names),
                    "Let one of them write elsewhere, or raise maxSubQueueDepth.");
}

}  // namespace

void awaitReaders(const StreamLog& log, std::chrono::milliseconds timeout) {
    const int64_t most = log.bounds().maxLagRows;
    if (most <= 0) return;
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        const Listener reader = log.slowest();
        if (!reader || log.total() - reader->position() <= most) return;
        const std::thread::id self = std::this_thread::get_id();
        // A handler that appends to its own table goes over the bound by what it holds.
        if (reader->runner() == self) return;
        const std::vector<Listener> circle = waits().add(self, reader);
        if (!circle.empty()) throwCircle(circle);
        const Wait noted;
        if (std::chrono::steady_clock::now() >= deadline)
            throw UserError(fmt::format("The stream table takes no rows: the subscription {} lags behind by {} rows.",
                                        reader->describe(), log.total() - reader->position()),
                            "Make its handler faster, end it with unsubscribeTable, or raise maxSubQueueDepth.");
        checkCancelled();
        std::this_thread::sleep_for(kLookPeriod);
    }
}

}  // namespace pelorus
