// Waiting times after wrong logins, and locked users.
//
// The n-th wrong login of a user from an address delays the next one from there by 2^n · 100 ms, up to 10 s; the
// kFreeFailures-th one from an address by other names likewise, whoever it names. The delay of a second at most is
// waited for, a longer one refuses the login before a password is hashed. So nobody can be kept out by wrong logins
// from other addresses. `admin` from this machine is neither refused nor locked: who is there and may use the process
// can do more than guess; wrong logins are slowed after they failed.
//
// Thread-safe; no lock is held while a login waits. The table is bounded: the oldest entries leave.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

class AccessControl;

class LoginThrottle {
public:
    struct Options {
        // enhancedSecurityVerification: kLockingFailures wrong logins lock the user at that address.
        bool locksUsers = false;
        size_t maxEntries = 10'000;
        std::function<int64_t()> nowMillis = {};         // empty: the clock
        std::function<void(int64_t millis)> sleep = {};  // empty: of the thread
    };
    static constexpr int kLockingFailures = 5;
    static constexpr int kFreeFailures = 20;  // of an address, by any names
    static constexpr int64_t kLockMillis = 10 * 60 * 1000;
    static constexpr int64_t kLongestDelayMillis = 10'000;
    static constexpr int64_t kForgetMillis = 10 * 60 * 1000;

    LoginThrottle() : LoginThrottle(Options()) {}
    explicit LoginThrottle(Options options);

    // Called before a password is checked. Waits up to a second; throws UserError when the user is locked, or must wait
    // for longer.
    void require(std::string_view user, std::string_view address);
    // Throws UserError when the user is locked at that address: for logins by what was given out before, a ticket or a
    // session, and for new tickets.
    void requireUnlocked(std::string_view user, std::string_view address) const;
    // Called after a wrong login.
    void failed(std::string_view user, std::string_view address);
    void succeeded(std::string_view user, std::string_view address);

    // Locks a user at all addresses until `unlock`.
    void lock(std::string_view user);
    // Ends all locks and delays of the user. False when the user was not locked.
    bool unlock(std::string_view user);
    struct Lock {
        std::string user;
        std::string address;  // empty: all addresses
        int64_t sinceMillis = 0;
        int64_t untilMillis = 0;  // 0: until it is unlocked
    };
    std::vector<Lock> locked() const;

    // Whether the login is that of `admin` from this machine.
    static bool isPrivileged(std::string_view user, std::string_view address);

private:
    struct Failures {
        int count = 0;
        int64_t lastMillis = 0;
        int64_t notBeforeMillis = 0;
        std::list<std::string>::iterator age;
    };
    int64_t remainingMillis(const std::string& key, int64_t now) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    int add(const std::string& key, int freeFailures, int64_t now) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void forget(const std::string& key) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void refuseLocked(std::string_view user, std::string_view address, int64_t now) const
        EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    const Lock* findLock(const std::string& user, const std::string& address, int64_t now) const
        EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const Options options_;
    mutable Mutex mutex_;
    std::list<std::string> ages_ GUARDED_BY(mutex_);  // keys, the oldest first
    std::unordered_map<std::string, Failures> failures_ GUARDED_BY(mutex_);
    std::map<std::pair<std::string, std::string>, Lock> locks_ GUARDED_BY(mutex_);  // by user and address
};

}  // namespace pelorus
