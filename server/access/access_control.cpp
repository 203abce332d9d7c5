#include "server/access/access_control.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/io/file.h"
#include "common/log.h"
#include "net/client.h"
#include "server/access/client_policy.h"
#include "server/access/password_hash.h"
#include "server/access/scram_verifier.h"

namespace pelorus {
namespace {

constexpr size_t kLongestName = 30;
constexpr size_t kShortestPassword = 6;
constexpr size_t kLongestPassword = 64;
constexpr int kAttempts = 50;
// A transaction of etcd has at most 128 operations.
constexpr size_t kKeysPerTransaction = 100;

int64_t nowNanos() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

void requireName(const std::string& name, const char* what) {
    const bool isName =
        !name.empty() && name.size() <= kLongestName && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
        std::all_of(name.begin(), name.end(),
                    [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_' || c == '-'); });
    if (isName && name != "guest" && name != "system") return;
    throw UserError(
        fmt::format("'{}' is no name of a {}.", name.substr(0, 2 * kLongestName), what),
        "A name has at most 30 letters, digits, _ and -, begins with a letter, and is not guest or system.");
}

void requirePassword(std::string_view password) {
    if (password.size() < kShortestPassword || password.size() > kLongestPassword) {
        throw UserError(fmt::format("A password has {} to {} bytes, but this one has {}.", kShortestPassword,
                                    kLongestPassword, password.size()));
    }
    const bool isPlain =
        std::none_of(password.begin(), password.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
    if (!isPlain) throw UserError("A password has no blanks and no control characters.");
}

UserError noUser(const std::string& user) {
    return UserError(fmt::format("The user {} does not exist.", user), "getUserList() lists the users.");
}
UserError noGroup(const std::string& group) {
    return UserError(fmt::format("The group {} does not exist.", group), "getGroupList() lists the groups.");
}

const UserEntry& existingUser(const AccessState& state, const std::string& user) {
    const UserEntry* entry = state.user(user);
    if (!entry) throw noUser(user);
    return *entry;
}

}  // namespace

AccessControl::AccessControl(MetaStore& users, MetaStore& names, const ClientPolicy& policy)
    : store_(users), policy_(policy), markKey_(randomBytes(32)), state_(std::make_shared<const AccessState>()) {
    const auto load = [this](MetaStore& store, const char* prefix) {
        const MetaRead read = store.range(prefix);
        std::vector<MetaChange> changes;
        for (const MetaEntry& entry : read.entries) changes.push_back({entry.key, entry.value, entry.revision});
        take(changes);
        return read.revision;
    };
    const uint64_t seen = load(users, access_key::kAll);
    const uint64_t seenNames = load(names, access_key::kSchemas);
    usersWatch_ = users.watch(access_key::kAll, seen, [this](const auto& changes) { take(changes); });
    namesWatch_ = names.watch(access_key::kSchemas, seenNames, [this](const auto& changes) { take(changes); });
}

AccessControl::~AccessControl() = default;

void AccessControl::take(const std::vector<MetaChange>& changes) {
    if (changes.empty()) return;
    const MutexLock lock(mutex_);
    auto next = std::make_shared<AccessState>(*state_);
    for (const MetaChange& change : changes) {
        next->apply(change);
        if (change.key.starts_with(access_key::kAll)) revision_ = std::max(revision_, change.revision);
    }
    state_ = std::move(next);
    changed_.notifyAll();
}

std::shared_ptr<const AccessState> AccessControl::state() const {
    const MutexLock lock(mutex_);
    return state_;
}

// Waits until the state shows the revision: if the store is another process, the watch reports changes some
// milliseconds after the transaction.
void AccessControl::await(uint64_t revision) const {
    MutexLock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (revision_ < revision && std::chrono::steady_clock::now() < end)
        changed_.waitFor(lock, std::chrono::milliseconds(50));
    if (revision_ >= revision) return;
    throw SystemError("The change of users or rights was stored, but this node has not heard of it within 5 s.",
                      "It takes effect when the metadata store answers again.");
}

void AccessControl::change(const std::function<Change(const AccessState&)>& plan) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const Change change = plan(*state());
        if (change.writes.empty()) return;
        const MetaOutcome outcome = store_.transact(change.conditions, change.writes);
        if (outcome.done) return await(outcome.revision);
        // Another change came first, and may not have reached the state yet.
        ::usleep(20'000);
    }
    throw SystemError("Users and rights are changed by others all the time; nothing was changed.", "Try again.", true);
}

std::shared_ptr<const Principal> AccessControl::principalOf(const std::string& user, bool isNode) const {
    Principal::Powers powers;
    std::shared_ptr<const GrantedRights> granted;
    if (user == kAdministrator || (isNode && user == "system")) {
        powers = Principal::owner()->powers();
    } else if (user == "guest") {
        powers.callsPublic = policy_.guestsMayRun;
        powers.opensFiles = powers.ownsAllData = policy_.guestsOwnData;
    } else {
        const std::shared_ptr<const AccessState> now = state();
        const UserEntry* entry = now->user(user);
        if (!entry) throw UserError("The user " + user + " no longer exists.", "Log in as another user.");
        powers.callsPublic = powers.opensFiles = true;
        powers.administers = entry->isAdmin;
        powers.opensAnyFile = entry->isAdmin;
        granted = now->rightsOf(user);
    }
    powers.isNode = isNode;
    return std::make_shared<const Principal>(user, powers, std::move(granted));
}

std::string AccessControl::quickMark(std::string_view user, std::string_view password) const {
    return hmac(markKey_, std::string(user) + '\0' + std::string(password));
}

bool AccessControl::verify(const std::string& user, std::string_view password, bool isPrivileged) {
    const std::string mark = quickMark(user, password);
    const std::shared_ptr<const AccessState> now = state();
    const UserEntry* entry = now->user(user);
    if (entry) {
        const MutexLock lock(mutex_);
        const auto known = verified_.find(user);
        if (known != verified_.end() && known->second.second == entry->hash && sameBytes(known->second.first, mark))
            return true;
    }
    // An unknown user takes as long as a wrong password.
    const std::string hash = hashPassword(password, entry ? entry->salt : std::string(kSaltBytes, 'x'), isPrivileged);
    if (!entry || !sameBytes(hash, entry->hash)) return false;
    MutexLock lock(mutex_);
    // The password may have changed meanwhile: the mark belongs to the entry that was compared.
    const UserEntry* current = state_->user(user);
    if (!current) return false;
    if (current->hash != entry->hash) {
        lock.unlock();
        return verify(user, password, isPrivileged);  // compares with the current entry
    }
    verified_[user] = {mark, entry->hash};
    return true;
}

ScramVerifier AccessControl::scramVerifierOf(const std::string& user) const {
    const std::shared_ptr<const AccessState> now = state();
    const UserEntry* entry = now->user(user);
    const auto kept = entry ? ScramVerifier::parse(entry->scram) : std::nullopt;
    return kept && policy_.keepsScram ? *kept : ScramVerifier::ofNobody(user, markKey_);
}

UserEntry AccessControl::newEntry(std::string_view password) const {
    requirePassword(password);
    UserEntry entry;
    entry.salt = randomBytes(kSaltBytes);
    entry.hash = hashPassword(password, entry.salt, true);  // privileged: an administrator does not wait for logins
    if (policy_.keepsScram) entry.scram = ScramVerifier::of(password, randomBytes(kSaltBytes)).encode();
    entry.passwordSetNanos = nowNanos();
    // Random, so that a user who is deleted and made again does not revive old tickets.
    for (const unsigned char c : randomBytes(8)) entry.version = entry.version << 8 | c;
    return entry;
}

void AccessControl::setPassword(const std::string& user, std::string_view password) {
    const UserEntry fresh = newEntry(password);
    change([&](const AccessState& state) {
        const std::string key = access_key::user(user);
        const UserEntry* old = state.user(user);
        UserEntry entry = fresh;
        entry.isAdmin = old ? old->isAdmin : user == kAdministrator;
        if (old) {
            entry.groups = old->groups;
            entry.maxResultBytes = old->maxResultBytes;
            entry.maxJobPriority = old->maxJobPriority;
            entry.maxJobParallelism = old->maxJobParallelism;
        }
        return Change{{{key, state.revisionOf(key)}}, {{key, entry.encode(), 0}}};
    });
}

bool AccessControl::makeAdministrator(std::string_view password) {
    UserEntry fresh = newEntry(password);
    fresh.isAdmin = true;
    bool isMade = false;
    change([&](const AccessState& state) {
        isMade = state.user(std::string(kAdministrator)) == nullptr;
        if (!isMade) return Change{};
        const std::string key = access_key::user(std::string(kAdministrator));
        return Change{{{key, state.revisionOf(key)}}, {{key, fresh.encode(), 0}}};
    });
    return isMade;
}

void AccessControl::createUser(const std::string& user, std::string_view password,
                               const std::vector<std::string>& groups, bool isAdmin) {
    requireName(user, "user");
    UserEntry entry = newEntry(password);
    entry.isAdmin = isAdmin;
    entry.groups = {groups.begin(), groups.end()};
    change([&](const AccessState& state) {
        if (state.user(user)) throw UserError(fmt::format("The user {} exists already.", user));
        if (state.hasGroup(user)) throw UserError(fmt::format("{} is the name of a group.", user));
        Change change{{{access_key::user(user), 0}, {access_key::group(user), 0}},
                      {{access_key::user(user), entry.encode(), 0}}};
        for (const std::string& group : entry.groups) {
            if (!state.hasGroup(group)) throw noGroup(group);
            touch(change, state, access_key::group(group), "");
        }
        return change;
    });
}

// Writes a key as it is: a concurrent transaction that removes it then conflicts with this one.
void AccessControl::touch(Change& change, const AccessState& state, const std::string& key, std::string value) {
    change.conditions.push_back({key, state.revisionOf(key)});
    change.writes.push_back({key, std::move(value), 0});
}

// Removes keys in several transactions when they are many. The last key of the list goes last.
void AccessControl::removeKeys(const std::function<std::vector<std::string>(const AccessState&)>& keys) {
    for (bool more = true; more;) {
        change([&](const AccessState& state) {
            std::vector<std::string> all = keys(state);
            more = all.size() > kKeysPerTransaction;
            if (more) all.resize(kKeysPerTransaction);
            Change change;
            for (const std::string& key : all) {
                change.conditions.push_back({key, state.revisionOf(key)});
                change.writes.push_back({key, std::nullopt, 0});
            }
            return change;
        });
    }
}

void AccessControl::deleteUser(const std::string& user) {
    if (user == kAdministrator) throw UserError("The user admin cannot be deleted.");
    existingUser(*state(), user);
    removeKeys([&](const AccessState& state) {
        std::vector<std::string> keys = state.keysOf(holderOfUser(user));
        if (state.user(user)) keys.push_back(access_key::user(user));
        return keys;
    });
}

void AccessControl::createGroup(const std::string& group, const std::vector<std::string>& members) {
    requireName(group, "group");
    change([&](const AccessState& state) {
        if (state.hasGroup(group)) throw UserError(fmt::format("The group {} exists already.", group));
        if (state.user(group)) throw UserError(fmt::format("{} is the name of a user.", group));
        Change change{{{access_key::user(group), 0}, {access_key::group(group), 0}},
                      {{access_key::group(group), "", 0}}};
        for (const std::string& member : std::set<std::string>(members.begin(), members.end())) {
            UserEntry entry = existingUser(state, member);
            entry.groups.insert(group);
            const std::string key = access_key::user(member);
            change.conditions.push_back({key, state.revisionOf(key)});
            change.writes.push_back({key, entry.encode(), 0});
        }
        return change;
    });
}

void AccessControl::deleteGroup(const std::string& group) {
    if (!state()->hasGroup(group)) throw noGroup(group);
    // Members first: while there are any, the group's denials hold.
    std::vector<std::string> members;
    for (const auto& [name, entry] : state()->users()) {
        if (entry.groups.count(group) > 0) members.push_back(name);
    }
    for (const std::string& member : members) {
        change([&](const AccessState& state) {
            const UserEntry* old = state.user(member);
            if (!old || old->groups.count(group) == 0) return Change{};
            UserEntry entry = *old;
            entry.groups.erase(group);
            const std::string key = access_key::user(member);
            return Change{{{key, state.revisionOf(key)}}, {{key, entry.encode(), 0}}};
        });
    }
    removeKeys([&](const AccessState& state) {
        std::vector<std::string> keys = state.keysOf(holderOfGroup(group));
        if (state.hasGroup(group)) keys.push_back(access_key::group(group));
        return keys;
    });
}

void AccessControl::changeMembers(const std::vector<std::string>& users, const std::vector<std::string>& groups,
                                  bool add) {
    change([&](const AccessState& state) {
        Change change;
        for (const std::string& group : std::set<std::string>(groups.begin(), groups.end())) {
            if (!state.hasGroup(group)) throw noGroup(group);
            touch(change, state, access_key::group(group), "");
        }
        for (const std::string& user : std::set<std::string>(users.begin(), users.end())) {
            UserEntry entry = existingUser(state, user);
            for (const std::string& group : groups) {
                if (add) {
                    entry.groups.insert(group);
                } else if (entry.groups.erase(group) == 0) {
                    throw UserError(fmt::format("The user {} is not in the group {}.", user, group));
                }
            }
            const std::string key = access_key::user(user);
            change.conditions.push_back({key, state.revisionOf(key)});
            change.writes.push_back({key, entry.encode(), 0});
        }
        return change;
    });
}

void AccessControl::addMembers(const std::vector<std::string>& users, const std::vector<std::string>& groups) {
    changeMembers(users, groups, true);
}

void AccessControl::removeMembers(const std::vector<std::string>& users, const std::vector<std::string>& groups) {
    changeMembers(users, groups, false);
}

std::vector<AccessObject> AccessControl::changeRights(const std::string& userOrGroup, RightVerb verb, RightSet rights,
                                                      const std::vector<AccessObject>& objects,
                                                      const std::function<std::string(const AccessObject&)>& describe) {
    std::vector<AccessObject> lifted;
    if (userOrGroup == kAdministrator)
        throw UserError(0, "The user admin has every right, which can be neither granted nor taken.");
    change([&](const AccessState& state) {
        const bool isUser = state.user(userOrGroup) != nullptr;
        if (!isUser && !state.hasGroup(userOrGroup)) {
            throw UserError(0, fmt::format("There is no user and no group {}.", userOrGroup),
                            "getUserList() and getGroupList() list them.");
        }
        const std::string holder = isUser ? holderOfUser(userOrGroup) : holderOfGroup(userOrGroup);
        const RightSettings& before = state.settings(holder);
        RightSettings after = before;
        lifted.clear();
        for (const AccessObject& object : objects) {
            const auto taken = applySetting(
                after, verb, rights, object, [&](const auto& d) { return state.catalogOf(d); }, describe);
            lifted.insert(lifted.end(), taken.begin(), taken.end());
        }
        const std::string own = isUser ? access_key::user(userOrGroup) : access_key::group(userOrGroup);
        Change change;
        touch(change, state, own, isUser ? state.user(userOrGroup)->encode() : "");
        const auto write = [&](const AccessObject& object, std::optional<std::string> value) {
            const std::string key = access_key::right(object, holder);
            change.conditions.push_back({key, state.revisionOf(key)});
            change.writes.push_back({key, std::move(value), 0});
        };
        for (const auto& [object, setting] : before) {
            if (after.count(object) == 0) write(object, std::nullopt);
        }
        for (const auto& [object, setting] : after) {
            const auto old = before.find(object);
            const bool isSame =
                old != before.end() && old->second.allowed == setting.allowed && old->second.denied == setting.denied;
            if (!isSame) write(object, fmt::format("{} {}", setting.allowed, setting.denied));
        }
        if (change.writes.size() == 1) return Change{};
        if (change.writes.size() > kKeysPerTransaction / 2) {
            throw UserError(fmt::format("This would change {} settings at once; at most {} are changed by one call.",
                                        change.writes.size(), kKeysPerTransaction / 2),
                            "Name fewer objects, or revoke the rights for single objects first.");
        }
        return change;
    });
    return lifted;
}

void AccessControl::changeLimits(const std::string& user, const std::function<void(UserEntry&)>& changeOne) {
    change([&](const AccessState& state) {
        UserEntry entry = existingUser(state, user);
        changeOne(entry);
        const std::string key = access_key::user(user);
        return Change{{{key, state.revisionOf(key)}}, {{key, entry.encode(), 0}}};
    });
}

void AccessControl::forget(const AccessObject& object) {
    const auto isMeant = [&](const AccessObject& other) {
        const bool isItsTable = object.kind == AccessObject::Kind::Database &&
                                other.kind == AccessObject::Kind::Table && other.name == object.name;
        return other == object || isItsTable;
    };
    removeKeys([&](const AccessState& state) {
        std::vector<std::string> keys;
        const auto collect = [&](const std::string& holder) {
            for (const auto& [other, setting] : state.settings(holder)) {
                if (isMeant(other)) keys.push_back(access_key::right(other, holder));
            }
        };
        for (const auto& [user, entry] : state.users()) collect(holderOfUser(user));
        for (const std::string& group : state.groups()) collect(holderOfGroup(group));
        return keys;
    });
}

void AccessControl::forgetDatabase(const std::string& path) {
    forget({AccessObject::Kind::Database, path});
}

void AccessControl::forgetCatalog(const std::string& catalog) {
    forget({AccessObject::Kind::Catalog, catalog});
}

void AccessControl::forgetModelEntry(const std::string& path) {
    forget({AccessObject::Kind::Tool, path});
}

void AccessControl::renameCatalog(const std::string& catalog, const std::string& newName) {
    const AccessObject before{AccessObject::Kind::Catalog, catalog}, after{AccessObject::Kind::Catalog, newName};
    change([&](const AccessState& state) {
        Change change;
        for (const auto& [holder, setting] : state.settingsOf(before)) {
            const std::string key = access_key::right(before, holder);
            change.conditions.push_back({key, state.revisionOf(key)});
            change.writes.push_back({key, std::nullopt, 0});
            change.writes.push_back(
                {access_key::right(after, holder), fmt::format("{} {}", setting.allowed, setting.denied), 0});
        }
        return change;
    });
}

std::optional<std::string> AccessControl::nodeUser(std::string_view user, std::string_view key) const {
    if (clusterKey_.empty() || !user.starts_with(kNodeUserPrefix) || !sameBytes(key, clusterKey_)) return std::nullopt;
    return std::string(user.substr(kNodeUserPrefix.size()));
}

void AccessControl::takeOver(const std::string& usersFile) {
    FileSystem& files = FileSystem::posix();
    if (!files.exists(usersFile)) return;
    std::map<std::string, UserEntry> users;
    try {
        const nlohmann::json stored = nlohmann::json::parse(readWholeFile(files, usersFile));
        for (const auto& [user, old] : stored.items()) {
            UserEntry& entry = users[user];
            entry.salt = fromHex(old.at("salt").get<std::string>());
            entry.hash = fromHex(old.at("scrypt").get<std::string>());
            entry.isAdmin = user == kAdministrator;
            entry.passwordSetNanos = nowNanos();
            for (const unsigned char c : randomBytes(8)) entry.version = entry.version << 8 | c;
        }
    } catch (const std::exception& error) {
        throw SystemError("The users cannot be read from " + usersFile + ": " + error.what() + ".",
                          "Restore the file from a backup, or remove it to begin with a new administrator.");
    }
    for (const auto& [user, entry] : users) {
        change([&](const AccessState& state) {
            if (state.user(user)) return Change{};
            return Change{{{access_key::user(user), 0}}, {{access_key::user(user), entry.encode(), 0}}};
        });
    }
    files.rename(usersFile, usersFile + ".taken-over");
    logInfo("access", "users taken over", {{"from", usersFile}, {"users", users.size()}});
}

}  // namespace pelorus
