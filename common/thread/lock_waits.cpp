#include "common/thread/lock_waits.h"

#include <unordered_map>

#include "common/thread/mutex.h"

namespace pelorus {
namespace {

// The waits of the process. A flag may stand there several times: several threads may work for one request.
struct Waits {
    Mutex mutex;
    std::unordered_multimap<const CancellationFlag*, std::string_view> byFlag GUARDED_BY(mutex);
};

Waits& waits() {
    static Waits instance;
    return instance;
}

}  // namespace

LockWaitScope::LockWaitScope(const CancellationFlag* flag, std::string_view what) : flag_(flag) {
    if (flag_ == nullptr) return;
    const MutexLock guard(waits().mutex);
    waits().byFlag.emplace(flag_, what);
}

LockWaitScope::~LockWaitScope() {
    if (flag_ == nullptr) return;
    const MutexLock guard(waits().mutex);
    waits().byFlag.erase(waits().byFlag.find(flag_));
}

std::string_view lockWaitOf(const CancellationFlag& flag) {
    const MutexLock guard(waits().mutex);
    const auto found = waits().byFlag.find(&flag);
    return found == waits().byFlag.end() ? std::string_view() : found->second;
}

}  // namespace pelorus
