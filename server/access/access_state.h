// All users, groups and rights of a server at one moment: what the metadata store holds, in memory.
//
// Immutable once it is published, so that a check takes no lock and reads no store. A change of the store makes a copy.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "server/access/right_settings.h"

namespace pelorus {

struct UserEntry {
    std::string salt;
    std::string hash;  // scrypt of the password
    bool isAdmin = false;
    std::set<std::string> groups;
    int64_t passwordSetNanos = 0;  // UTC since 1970
    uint64_t version = 0;          // of the password: a new one voids tickets
    int64_t maxResultBytes = 0;    // QUERY_RESULT_MEM_LIMIT; 0 for none
    int maxJobPriority = 8;        // setMaxJobPriority
    int maxJobParallelism = 64;    // setMaxJobParallelism

    std::string encode() const;
    // Throws SystemError for bytes of another form.
    static UserEntry decode(const std::string& bytes);
};

// Keys of the store. In files: never change.
//   auth/user/<name>               UserEntry
//   auth/group/<name>              empty
//   auth/key/ticket                the key that signs tickets, in hexadecimal
//   auth/right/<object>\n<holder>  "allowed denied", two numbers; the holder is u<user> or g<group>
namespace access_key {
constexpr const char* kAll = "auth/";
constexpr const char* kSchemas = "schema/";  // of the catalog: schema/<catalog>\n<schema> holds a database's path
std::string user(const std::string& name);
std::string group(const std::string& name);
std::string right(const AccessObject& object, const std::string& holder);
constexpr const char* kTicket = "auth/key/ticket";
}  // namespace access_key

inline std::string holderOfUser(const std::string& name) {
    return 'u' + name;
}
inline std::string holderOfGroup(const std::string& name) {
    return 'g' + name;
}

class AccessState {
public:
    AccessState() = default;
    AccessState(const AccessState& other);
    AccessState& operator=(const AccessState&) = delete;

    // Takes in a key of the store. A key that cannot be read is left out, and reported in the log: it grants nothing;
    // a user whose entry cannot be read cannot log in.
    void apply(const MetaChange& change);

    const UserEntry* user(std::string_view name) const;
    bool hasGroup(std::string_view name) const { return groups_.count(name) > 0; }
    const std::map<std::string, UserEntry, std::less<>>& users() const { return users_; }
    const std::set<std::string, std::less<>>& groups() const { return groups_; }
    // Returns the settings of a holder; none when there are none.
    const RightSettings& settings(const std::string& holder) const;
    // Returns settings for an object by holder.
    std::map<std::string, RightSetting> settingsOf(const AccessObject& object) const;
    // Returns all keys of rights that a holder has.
    std::vector<std::string> keysOf(const std::string& holder) const;
    std::string catalogOf(const std::string& database) const;
    // Returns the path of the database that a schema names; empty for none.
    std::string databaseOf(const std::string& catalog, const std::string& schema) const;
    std::string ticketKey() const { return ticketKey_; }
    uint64_t revisionOf(const std::string& key) const;

    // Returns the rights of a user and the user's groups together, made at the first call. Thread-safe.
    std::shared_ptr<const GrantedRights> rightsOf(const std::string& user) const;
    // Returns the settings of a user and the user's groups together: a denial of one hides what others allow.
    RightSettings effectiveSettings(const std::string& user) const;

private:
    std::map<std::string, UserEntry, std::less<>> users_;
    std::set<std::string, std::less<>> groups_;
    std::map<std::string, RightSettings> settings_;        // by holder
    std::map<std::string, std::string> schemaDatabases_;   // "catalog\nschema" to the path of the database
    std::map<std::string, std::string> databaseCatalogs_;  // the path of a database to its catalog
    std::map<std::string, uint64_t> revisions_;            // of the keys below auth/
    std::string ticketKey_;

    mutable Mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const GrantedRights>> rights_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
