// LoginThrottle delays logins after wrong ones, and locks users.
//
// The n-th wrong login of a user from an address delays the next one of the user from there by 2^(n-1) · 100 ms, up to
// 10 s. Wrong logins from one address under any names are counted too, and delay all logins from there in the same way
// from the one after kFreeFailures on; addresses of this machine are exempt from that. A delay of at most one second is
// waited for; a longer one refuses the login before a password is hashed. So nobody can be kept out by wrong logins
// from other addresses. `admin` from this machine is neither refused nor locked, since who can use this machine can do
// more than guess a password; its wrong logins are slowed after they failed, by at most a second.
//
// Thread-safe; no lock is held while a login waits. The table is bounded: the oldest entries are evicted.
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

// The counters and locks of one server. requirePassword calls it around each check of a password; lockUser and
// unlockUser lock by hand.
class LoginThrottle {
public:
    struct Options {
        // enhancedSecurityVerification: kLockingFailures wrong logins lock the user at that address.
        bool locksUsers = false;
        size_t maxEntries = 10'000;
        std::function<int64_t()> nowMillis = {};         // milliseconds since 1970; empty: the system clock
        std::function<void(int64_t millis)> sleep = {};  // empty: the calling thread sleeps
    };
    static constexpr int kLockingFailures = 5;
    static constexpr int kFreeFailures = 20;  // wrong logins from one address, under any names, without delay
    static constexpr int64_t kLockMillis = 10 * 60 * 1000;
    static constexpr int64_t kLongestDelayMillis = 10'000;
    static constexpr int64_t kForgetMillis = 10 * 60 * 1000;

    LoginThrottle() : LoginThrottle(Options()) {}
    explicit LoginThrottle(Options options);

    // Waits for up to a second, before a password is checked. Throws UserError when the user is locked, or must wait
    // for longer.
    void require(std::string_view user, std::string_view address);
    // Throws UserError when the user is locked at that address. Called for logins by a ticket or a session, where no
    // password is checked, and before a ticket is made.
    void requireUnlocked(std::string_view user, std::string_view address) const;
    // Counts a wrong login, and locks the user when the options say so.
    void failed(std::string_view user, std::string_view address);
    // Forgets the wrong logins of the user from the address.
    void succeeded(std::string_view user, std::string_view address);

    // Locks a user at all addresses until `unlock`.
    void lock(std::string_view user);
    // Ends all locks and delays of the user. Returns false when the user was not locked.
    bool unlock(std::string_view user);
    struct Lock {
        std::string user;
        std::string address;  // empty: all addresses
        int64_t sinceMillis = 0;
        int64_t untilMillis = 0;  // 0: until it is unlocked
    };
    // Returns the locks in force.
    std::vector<Lock> locked() const;

    // Returns whether the login is that of `admin` from this machine.
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
    std::map<std::pair<std::string, std::string>, Lock> locks_ GUARDED_BY(mutex_);  // locks by user and address
};

}  // namespace pelorus
