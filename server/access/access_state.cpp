#include "server/access/access_state.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/log.h"
#include "server/access/effective_rights.h"
#include "server/access/password_hash.h"

namespace pelorus {

namespace access_key {

static constexpr const char* kUsers = "auth/user/";
static constexpr const char* kGroups = "auth/group/";
static constexpr const char* kRights = "auth/right/";

std::string user(const std::string& name) {
    return kUsers + name;
}
std::string group(const std::string& name) {
    return kGroups + name;
}
std::string right(const AccessObject& object, const std::string& holder) {
    return kRights + object.key() + '\n' + holder;
}

}  // namespace access_key

std::string UserEntry::encode() const {
    return nlohmann::json{{"salt", toHex(salt)},
                          {"scrypt", toHex(hash)},
                          {"scram", scram},
                          {"admin", isAdmin},
                          {"groups", groups},
                          {"set", passwordSetNanos},
                          {"version", version},
                          {"resultBytes", maxResultBytes},
                          {"jobPriority", maxJobPriority},
                          {"jobParallelism", maxJobParallelism}}
        .dump();
}

UserEntry UserEntry::decode(const std::string& bytes) {
    try {
        const nlohmann::json stored = nlohmann::json::parse(bytes);
        UserEntry entry;
        entry.salt = fromHex(stored.at("salt").get<std::string>());
        entry.hash = fromHex(stored.at("scrypt").get<std::string>());
        entry.scram = stored.value("scram", std::string());
        entry.isAdmin = stored.value("admin", false);
        entry.groups = stored.value("groups", std::set<std::string>());
        entry.passwordSetNanos = stored.value("set", int64_t{0});
        entry.version = stored.value("version", uint64_t{0});
        entry.maxResultBytes = stored.value("resultBytes", int64_t{0});
        entry.maxJobPriority = stored.value("jobPriority", entry.maxJobPriority);
        entry.maxJobParallelism = stored.value("jobParallelism", entry.maxJobParallelism);
        return entry;
    } catch (const nlohmann::json::exception& error) {
        throw SystemError(fmt::format("The entry of a user is damaged: {}.", error.what()));
    }
}

AccessState::AccessState(const AccessState& other)
    : users_(other.users_),
      groups_(other.groups_),
      settings_(other.settings_),
      schemaDatabases_(other.schemaDatabases_),
      databaseCatalogs_(other.databaseCatalogs_),
      revisions_(other.revisions_),
      ticketKey_(other.ticketKey_) {}

static RightSetting parseSetting(const std::string& string) {
    RightSetting setting;
    const char* end = string.data() + string.size();
    const auto first = std::from_chars(string.data(), end, setting.allowed);
    const bool isFirst = first.ec == std::errc() && first.ptr != end && *first.ptr == ' ';
    const auto second = isFirst ? std::from_chars(first.ptr + 1, end, setting.denied) : first;
    if (!isFirst || second.ec != std::errc() || second.ptr != end) throw SystemError("A stored right is damaged.");
    return setting;
}

void AccessState::apply(const MetaChange& change) {
    const std::string_view key = change.key;
    const auto after = [&](const char* prefix) { return std::string(key.substr(std::string_view(prefix).size())); };
    if (key.starts_with(access_key::kAll)) {
        if (change.value) {
            revisions_[change.key] = change.revision;
        } else {
            revisions_.erase(change.key);
        }
    }
    try {
        if (key.starts_with(access_key::kUsers)) {
            users_.erase(after(access_key::kUsers));
            if (change.value) users_[after(access_key::kUsers)] = UserEntry::decode(*change.value);
        } else if (key.starts_with(access_key::kGroups)) {
            groups_.erase(after(access_key::kGroups));
            if (change.value) groups_.insert(after(access_key::kGroups));
        } else if (key == access_key::kTicket) {
            ticketKey_ = change.value ? fromHex(*change.value) : "";
        } else if (key.starts_with(access_key::kRights)) {
            const std::string rest = after(access_key::kRights);
            const size_t end = rest.rfind('\n');
            if (end == std::string::npos) throw SystemError("A stored right has no holder.");
            const AccessObject object = AccessObject::ofKey(std::string_view(rest).substr(0, end));
            RightSettings& settings = settings_[rest.substr(end + 1)];
            settings.erase(object);
            if (change.value) settings[object] = parseSetting(*change.value);
        } else if (key.starts_with(access_key::kSchemas)) {
            const std::string name = after(access_key::kSchemas);
            if (const auto old = schemaDatabases_.find(name); old != schemaDatabases_.end()) {
                databaseCatalogs_.erase(old->second);
                schemaDatabases_.erase(old);
            }
            if (change.value) schemaDatabases_[name] = *change.value;
            // A renamed schema removes one key and adds another, in any order.
            for (const auto& [schema, database] : schemaDatabases_)
                databaseCatalogs_[database] = schema.substr(0, schema.find('\n'));
        }
    } catch (const std::exception& error) {
        logError("access", "a stored user or right cannot be read, and counts as none",
                 {{"key", change.key}, {"why", error.what()}});
    }
}

const UserEntry* AccessState::user(std::string_view name) const {
    const auto found = users_.find(name);
    return found == users_.end() ? nullptr : &found->second;
}

const RightSettings& AccessState::settings(const std::string& holder) const {
    static const RightSettings none;
    const auto found = settings_.find(holder);
    return found == settings_.end() ? none : found->second;
}

std::map<std::string, RightSetting> AccessState::settingsOf(const AccessObject& object) const {
    std::map<std::string, RightSetting> found;
    for (const auto& [holder, settings] : settings_) {
        if (const auto it = settings.find(object); it != settings.end()) found[holder] = it->second;
    }
    return found;
}

std::vector<std::string> AccessState::keysOf(const std::string& holder) const {
    std::vector<std::string> keys;
    for (const auto& [object, setting] : settings(holder)) keys.push_back(access_key::right(object, holder));
    return keys;
}

std::string AccessState::catalogOf(const std::string& database) const {
    const auto found = databaseCatalogs_.find(database);
    return found == databaseCatalogs_.end() ? "" : found->second;
}

std::string AccessState::databaseOf(const std::string& catalog, const std::string& schema) const {
    const auto found = schemaDatabases_.find(catalog + '\n' + schema);
    return found == schemaDatabases_.end() ? "" : found->second;
}

uint64_t AccessState::revisionOf(const std::string& key) const {
    const auto found = revisions_.find(key);
    return found == revisions_.end() ? 0 : found->second;
}

RightSettings AccessState::effectiveSettings(const std::string& user) const {
    RightSettings all = settings(holderOfUser(user));
    const UserEntry* entry = this->user(user);
    for (const std::string& group : entry ? entry->groups : std::set<std::string>()) {
        for (const auto& [object, setting] : settings(holderOfGroup(group))) {
            all[object].allowed |= setting.allowed;
            all[object].denied |= setting.denied;
        }
    }
    for (auto& [object, setting] : all) setting.allowed &= ~setting.denied;
    return all;
}

std::shared_ptr<const GrantedRights> AccessState::rightsOf(const std::string& user) const {
    const MutexLock lock(mutex_);
    std::shared_ptr<const GrantedRights>& rights = rights_[user];
    if (!rights) {
        const UserEntry* entry = this->user(user);
        rights = std::make_shared<const EffectiveRights>(user, effectiveSettings(user), databaseCatalogs_,
                                                         entry ? entry->maxResultBytes : 0);
    }
    return rights;
}

}  // namespace pelorus
