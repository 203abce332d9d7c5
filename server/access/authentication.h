// Directory of the users of a server and their passwords.
//
// Only salted scrypt hashes are kept (RFC 7914), in a file that only the owner can read; it is replaced atomically, so
// a crash leaves the old one or the new one. Thread-safe.
//
// A verification costs 16 MiB and 50 ms of a core: two run concurrently, some more wait, further ones are refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/thread/mutex.h"

namespace pelorus {

// Name of the user who manages the server.
constexpr std::string_view kAdministrator = "admin";

class UserDirectory {
public:
    // `path` empty: users live as long as the process. Throws SystemError when the file cannot be read.
    explicit UserDirectory(std::string path);

    bool hasUser(std::string_view user) const;
    // Checks a password. Costs some 50 ms the first time, by design; a password that was accepted before is checked
    // quickly. Throws UserError when too many checks wait.
    bool verify(std::string_view user, std::string_view password);
    // Adds the user or replaces its password. Throws UserError when the password does not have 6 to 64 bytes.
    void setPassword(std::string_view user, std::string_view password);

    // Sets the key that other nodes of the cluster log in with, as user "@node:<user they act for>". Empty: none may.
    void setClusterKey(std::string key) { clusterKey_ = std::move(key); }
    // Returns the user whom a node acts for; nothing when this is no node's login or its key is wrong.
    std::optional<std::string> nodeUser(std::string_view user, std::string_view key) const;

    // Returns a string of 16 random letters and digits to be used as password.
    static std::string randomPassword();

private:
    struct Entry {
        std::string salt;
        std::string hash;
    };
    void save() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    std::string quickMark(std::string_view user, std::string_view password) const;

    const std::string path_;
    std::string clusterKey_;
    std::string markKey_;  // of this process, for the quick marks
    mutable Mutex mutex_;  // never held while hashing
    std::map<std::string, Entry, std::less<>> users_ GUARDED_BY(mutex_);
    std::map<std::string, std::string, std::less<>> verified_
        GUARDED_BY(mutex_);  // user to mark of the password that was right
};

}  // namespace pelorus
