#include "server/access/login_throttle.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "net/host_name.h"
#include "server/access/access_control.h"

namespace pelorus {
namespace {

// The longest delay that is waited for instead of refusing the login.
constexpr int64_t kWaitedMillis = 1000;
// The longest wait of a privileged login after it failed.
constexpr int64_t kPrivilegedMillis = 1000;
// No user has a longer name; a hash keeps longer ones distinct.
constexpr size_t kNameBytes = 128;

std::string shortened(std::string_view name) {
    if (name.size() <= kNameBytes) return std::string(name);
    return std::string(name.substr(0, kNameBytes)) + '#' + std::to_string(std::hash<std::string_view>()(name));
}

std::string pairKey(std::string_view user, std::string_view address) {
    return shortened(user) + '\0' + std::string(address);
}
// No user has an empty name.
std::string addressKey(std::string_view address) {
    return pairKey("", address);
}

int64_t delayOf(int failures) {
    const int doublings = std::min(failures - 1, 20);
    return failures <= 0 ? 0 : std::min(int64_t{100} << doublings, LoginThrottle::kLongestDelayMillis);
}

}  // namespace

LoginThrottle::LoginThrottle(Options options)
    : options_([&options] {
          if (!options.nowMillis) {
              // A lock ends at a time of day, which locked() reports.
              options.nowMillis = [] {
                  const auto now = std::chrono::system_clock::now().time_since_epoch();
                  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
              };
          }
          if (!options.sleep)
              options.sleep = [](int64_t millis) { std::this_thread::sleep_for(std::chrono::milliseconds(millis)); };
          return std::move(options);
      }()) {}

bool LoginThrottle::isPrivileged(std::string_view user, std::string_view address) {
    return user == kAdministrator && isLoopbackAddress(std::string(address));
}

int64_t LoginThrottle::remainingMillis(const std::string& key, int64_t now) const {
    const auto found = failures_.find(key);
    if (found == failures_.end()) return 0;
    // A clock that was set back delays nobody for longer.
    return std::clamp<int64_t>(found->second.notBeforeMillis - now, 0, kLongestDelayMillis);
}

const LoginThrottle::Lock* LoginThrottle::findLock(const std::string& user, const std::string& address,
                                                   int64_t now) const {
    for (const std::string& where : {std::string(), address}) {
        const auto found = locks_.find({user, where});
        if (found != locks_.end() && (found->second.untilMillis == 0 || found->second.untilMillis > now))
            return &found->second;
    }
    return nullptr;
}

void LoginThrottle::refuseLocked(std::string_view user, std::string_view address, int64_t now) const {
    const Lock* found = findLock(shortened(user), std::string(address), now);
    if (found == nullptr) return;
    throw UserError("The user is locked.",
                    found->untilMillis == 0
                        ? "An administrator unlocks it by unlockUser."
                        : "Try again in " + std::to_string((found->untilMillis - now + 59'999) / 60'000) + " min.");
}

void LoginThrottle::requireUnlocked(std::string_view user, std::string_view address) const {
    if (isPrivileged(user, address)) return;
    const MutexLock lock(mutex_);
    refuseLocked(user, address, options_.nowMillis());
}

void LoginThrottle::require(std::string_view user, std::string_view address) {
    if (isPrivileged(user, address)) return;
    for (bool hasWaited = false;; hasWaited = true) {
        int64_t remaining = 0;
        {
            const MutexLock lock(mutex_);
            const int64_t now = options_.nowMillis();
            refuseLocked(user, address, now);
            remaining =
                std::max(remainingMillis(pairKey(user, address), now), remainingMillis(addressKey(address), now));
        }
        if (remaining == 0) return;
        if (hasWaited || remaining > kWaitedMillis) {
            throw UserError("There were too many wrong logins.",
                            "Try again in " + std::to_string((remaining + 999) / 1000) + " s.");
        }
        options_.sleep(remaining);
    }
}

int LoginThrottle::add(const std::string& key, int freeFailures, int64_t now) {
    const auto [found, isNew] = failures_.try_emplace(key);
    Failures& failures = found->second;
    if (isNew) {
        failures.age = ages_.insert(ages_.end(), key);
    } else {
        ages_.splice(ages_.end(), ages_, failures.age);
        if (now - failures.lastMillis > kForgetMillis) failures.count = 0;
    }
    failures.lastMillis = now;
    failures.notBeforeMillis = now + delayOf(++failures.count - freeFailures);
    while (failures_.size() > options_.maxEntries) {
        failures_.erase(ages_.front());
        ages_.pop_front();
    }
    return failures.count;
}

void LoginThrottle::forget(const std::string& key) {
    const auto found = failures_.find(key);
    if (found == failures_.end()) return;
    ages_.erase(found->second.age);
    failures_.erase(found);
}

void LoginThrottle::failed(std::string_view user, std::string_view address) {
    const bool privileged = isPrivileged(user, address);
    int count = 0;
    {
        const MutexLock lock(mutex_);
        const int64_t now = options_.nowMillis();
        count = add(pairKey(user, address), 0, now);
        // Programs of this machine share an address, and one that is wrong must not delay the others.
        if (!isLoopbackAddress(std::string(address))) add(addressKey(address), kFreeFailures, now);
        if (options_.locksUsers && !privileged && count >= kLockingFailures) {
            for (auto it = locks_.begin(); it != locks_.end();) {
                const bool ended = it->second.untilMillis != 0 && it->second.untilMillis <= now;
                it = ended ? locks_.erase(it) : std::next(it);
            }
            const std::string name = shortened(user);
            if (locks_.size() < options_.maxEntries)
                locks_[{name, std::string(address)}] = {name, std::string(address), now, now + kLockMillis};
            forget(pairKey(user, address));
        }
    }
    if (privileged) options_.sleep(std::min(delayOf(count), kPrivilegedMillis));
}

void LoginThrottle::succeeded(std::string_view user, std::string_view address) {
    const MutexLock lock(mutex_);
    forget(pairKey(user, address));
}

void LoginThrottle::lock(std::string_view user) {
    const MutexLock lock(mutex_);
    const std::string name = shortened(user);
    locks_[{name, ""}] = {name, "", options_.nowMillis(), 0};
}

bool LoginThrottle::unlock(std::string_view user) {
    const MutexLock lock(mutex_);
    const std::string name = shortened(user);
    const int64_t now = options_.nowMillis();
    bool wasLocked = false;
    for (auto it = locks_.lower_bound({name, ""}); it != locks_.end() && it->first.first == name;) {
        wasLocked = wasLocked || it->second.untilMillis == 0 || it->second.untilMillis > now;
        it = locks_.erase(it);
    }
    for (auto it = ages_.begin(); it != ages_.end();) {
        const std::string key = *it++;
        if (key.starts_with(name + '\0')) forget(key);
    }
    return wasLocked;
}

std::vector<LoginThrottle::Lock> LoginThrottle::locked() const {
    const MutexLock lock(mutex_);
    const int64_t now = options_.nowMillis();
    std::vector<Lock> all;
    for (const auto& [place, found] : locks_) {
        if (found.untilMillis == 0 || found.untilMillis > now) all.push_back(found);
    }
    return all;
}

}  // namespace pelorus
