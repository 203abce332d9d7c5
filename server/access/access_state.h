// AccessState is a snapshot in memory of all users, groups and rights of a server, as the metadata store holds them.
//
// It is immutable once AccessControl has published it, so that a check reads no store; a change of the store makes a
// changed copy.
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

// The stored properties of one user.
struct UserEntry {
    std::string salt;
    std::string hash;   // scrypt of the password
    std::string scram;  // ScramVerifier of the password; empty: none is kept
    bool isAdmin = false;
    std::set<std::string> groups;
    int64_t passwordSetNanos = 0;  // UTC since 1970
    uint64_t version = 0;          // random number of the password: a new password voids tickets
    int64_t maxResultBytes = 0;    // QUERY_RESULT_MEM_LIMIT; 0 for none
    int maxJobPriority = 8;        // setMaxJobPriority
    int maxJobParallelism = 64;    // setMaxJobParallelism

    // Returns the form that is stored, an object of JSON.
    std::string encode() const;
    // Parses the stored form. Throws SystemError for bytes of another form.
    static UserEntry decode(const std::string& bytes);
};

// Keys of the store. In files: never change.
//   auth/user/<name>               UserEntry
//   auth/group/<name>              empty
//   auth/key/ticket                the key that signs tickets, in hexadecimal
//   auth/right/<object>\n<holder>  "allowed denied", two numbers; the holder is u<user> or g<group>
namespace access_key {
constexpr const char* kAll = "auth/";
constexpr const char* kSchemas = "schema/";  // keys of the catalog: schema/<catalog>\n<schema> holds a database's path
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

// The users, groups, rights and schemas at one revision of the store. Thread-safe once published; `apply` is called
// before.
class AccessState {
public:
    AccessState() = default;
    AccessState(const AccessState& other);
    AccessState& operator=(const AccessState&) = delete;

    // Applies a change of one key of the store. A value that cannot be read is left out and reported in the log: it
    // grants nothing, and a user whose entry cannot be read cannot log in.
    void apply(const MetaChange& change);

    // Returns nullptr when there is no such user. The entry lives as long as this state.
    const UserEntry* user(std::string_view name) const;
    bool hasGroup(std::string_view name) const { return groups_.count(name) > 0; }
    const std::map<std::string, UserEntry, std::less<>>& users() const { return users_; }
    const std::set<std::string, std::less<>>& groups() const { return groups_; }
    // Returns the settings of a holder (holderOfUser, holderOfGroup), which may be empty.
    const RightSettings& settings(const std::string& holder) const;
    // Returns the settings for exactly this object, by holder.
    std::map<std::string, RightSetting> settingsOf(const AccessObject& object) const;
    // Returns the store's keys of all rights of a holder.
    std::vector<std::string> keysOf(const std::string& holder) const;
    // Returns the catalog that a database belongs to; empty for none.
    std::string catalogOf(const std::string& database) const;
    // Returns the path of the database that a schema names; empty for none.
    std::string databaseOf(const std::string& catalog, const std::string& schema) const;
    std::string ticketKey() const { return ticketKey_; }
    // Returns the revision of a key below auth/, and 0 when the store has no such key.
    uint64_t revisionOf(const std::string& key) const;

    // Returns the rights of a user, those of the user's groups included. They are computed at the first call and
    // cached.
    std::shared_ptr<const GrantedRights> rightsOf(const std::string& user) const;
    // Returns the settings of a user merged with those of the user's groups: a denial of one overrides a grant of
    // others.
    RightSettings effectiveSettings(const std::string& user) const;

private:
    std::map<std::string, UserEntry, std::less<>> users_;
    std::set<std::string, std::less<>> groups_;
    std::map<std::string, RightSettings> settings_;        // settings by holder
    std::map<std::string, std::string> schemaDatabases_;   // "catalog\nschema" to the path of the database
    std::map<std::string, std::string> databaseCatalogs_;  // the path of a database to its catalog
    std::map<std::string, uint64_t> revisions_;            // revisions of the keys below auth/
    std::string ticketKey_;

    mutable Mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const GrantedRights>> rights_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
