// AccessControl keeps the users, groups and rights of a server in a metadata store. It is the only place that changes
// them, and that makes principals out of users.
//
// Every change is one transaction of the store, and is in force on this node when the call returns; the other nodes of
// a cluster see it by the store's watch. A process whose store does not answer continues with the last state it read,
// and refuses changes with a SystemError: nothing was changed then, unless its message says that the change was stored
// and this node has not heard of it within five seconds. Thread-safe. A server registers one object as a service of the
// process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "runtime/function/principal_source.h"
#include "runtime/function/rights_keeper.h"
#include "server/access/access_state.h"

namespace pelorus {

struct ClientPolicy;
struct ScramVerifier;

// Name of the user who has every right, and can neither be deleted nor denied anything.
constexpr std::string_view kAdministrator = "admin";

// The authority over users, groups and rights of one node. Connections check logins with it; the built-in functions for
// users and rights change them through it; the catalog reports dropped and renamed objects by RightsKeeper.
class AccessControl final : public PrincipalSource, public RightsKeeper {
public:
    // `users` keeps users and rights; `names` is the store of the catalog, which says what catalog a database is in.
    // Both outlive the object. Throws SystemError when they do not answer.
    AccessControl(MetaStore& users, MetaStore& names, const ClientPolicy& policy);
    ~AccessControl() override;
    AccessControl(const AccessControl&) = delete;
    AccessControl& operator=(const AccessControl&) = delete;

    // Returns the user with the rights of this moment: later changes do not reach the principal. `isNode`: another node
    // of the cluster acts for the user. Throws UserError when the user does not exist.
    std::shared_ptr<const Principal> principalOf(const std::string& user, bool isNode = false) const override;
    // Returns users and rights as they are now.
    std::shared_ptr<const AccessState> state() const;

    bool hasUser(std::string_view user) const { return state()->user(user) != nullptr; }
    // Returns whether the password is the user's; false for an unknown user, after the same time. The first check of a
    // password costs some 50 ms, by design; a password that was accepted before is checked quickly. `isPrivileged` is
    // passed to hashPassword. Throws UserError when too many checks wait.
    bool verify(const std::string& user, std::string_view password, bool isPrivileged = false);
    // Returns what a proof of the user's password is checked with; for an unknown user, and one for whom nothing is
    // kept, one that no proof meets.
    ScramVerifier scramVerifierOf(const std::string& user) const;
    // Sets a new password of the user, which voids the user's tickets; creates the user when there is none.
    void setPassword(const std::string& user, std::string_view password);
    // Creates the administrator with this password. Returns false, and changes nothing, when there is one already: of
    // nodes that start at the same time one succeeds.
    bool makeAdministrator(std::string_view password);

    // The changes below throw UserError when a name is unknown, taken or malformed, and change nothing then.
    void createUser(const std::string& user, std::string_view password, const std::vector<std::string>& groups,
                    bool isAdmin);
    // Removes the user and all rights of the user. Throws UserError for the administrator.
    void deleteUser(const std::string& user);
    void createGroup(const std::string& group, const std::vector<std::string>& members);
    void deleteGroup(const std::string& group);
    void addMembers(const std::vector<std::string>& users, const std::vector<std::string>& groups);
    void removeMembers(const std::vector<std::string>& users, const std::vector<std::string>& groups);
    // Changes the rights of a user or group for several objects in one transaction; returns the objects whose denial a
    // grant for a wider one removed. Throws UserError for a conflict, as applySetting does, for the administrator, and
    // when too many settings would change at once. `describe` names objects in messages.
    std::vector<AccessObject> changeRights(const std::string& userOrGroup, RightVerb verb, RightSet rights,
                                           const std::vector<AccessObject>& objects,
                                           const std::function<std::string(const AccessObject&)>& describe);
    // Changes maxResultBytes, maxJobPriority or maxJobParallelism of a user.
    void changeLimits(const std::string& user, const std::function<void(UserEntry&)>& changeOne);
    void forgetDatabase(const std::string& path) override;
    void forgetCatalog(const std::string& catalog) override;
    void forgetModelEntry(const std::string& path) override;
    void renameCatalog(const std::string& catalog, const std::string& newName) override;

    // Returns a ticket by which its holder logs in as the user on every node, until a time in seconds since 1970 or
    // until the user's password changes.
    std::string makeTicket(const std::string& user, int64_t untilSeconds);
    // Returns the user of a valid ticket, and nullopt for any other string.
    std::optional<std::string> userOfTicket(std::string_view ticket) const;

    // Adds the users of a file of former versions that are not known yet, and renames the file. Does nothing when there
    // is no such file. Throws SystemError, and leaves the file, when it cannot be read.
    void takeOver(const std::string& usersFile);

    // Sets the key that other nodes of the cluster log in with, as user "@node:<user they act for>"; with an empty key
    // none may. Called before the server accepts connections.
    void setClusterKey(std::string key) { clusterKey_ = std::move(key); }
    // Returns the user whom a node acts for, and nullopt when this is no node's login or its key is wrong.
    std::optional<std::string> nodeUser(std::string_view user, std::string_view key) const;

private:
    struct Change {
        std::vector<MetaCondition> conditions;
        std::vector<MetaWrite> writes;
    };
    // Commits the change that `plan` makes of the current state; plans again when another change came first.
    void change(const std::function<Change(const AccessState&)>& plan);
    static void touch(Change& change, const AccessState& state, const std::string& key, std::string value);
    void removeKeys(const std::function<std::vector<std::string>(const AccessState&)>& keys);
    // Removes all rights to an object, and to the tables of a database.
    void forget(const AccessObject& object);
    void changeMembers(const std::vector<std::string>& users, const std::vector<std::string>& groups, bool add);
    UserEntry newEntry(std::string_view password) const;
    std::string ticketKey();
    void take(const std::vector<MetaChange>& changes);
    void await(uint64_t revision) const;
    std::string quickMark(std::string_view user, std::string_view password) const;

    MetaStore& store_;
    const ClientPolicy& policy_;
    const std::string markKey_;  // random key of this process, for the quick marks
    std::string clusterKey_;

    mutable Mutex mutex_;  // never held while hashing, or while the store is asked
    mutable CondVar changed_;
    std::shared_ptr<const AccessState> state_ GUARDED_BY(mutex_);
    uint64_t revision_ GUARDED_BY(mutex_) = 0;  // revision of the users' store that the state shows
    // By user: the mark of a password that was accepted, and the hash that it was compared with.
    std::map<std::string, std::pair<std::string, std::string>, std::less<>> verified_ GUARDED_BY(mutex_);

    std::unique_ptr<MetaStore::Watch> usersWatch_;
    std::unique_ptr<MetaStore::Watch> namesWatch_;
};

}  // namespace pelorus
