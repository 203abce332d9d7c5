// EffectiveRights holds the rights of one user, those of the user's groups included, indexed for checks.
//
// It is immutable, and so thread-safe. A check costs at most two look-ups of a hash table, and for the creation of a
// database a comparison with each granted prefix. AccessState makes and owns it; a Principal shares it.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/access/right_settings.h"

namespace pelorus {

// The answer to "may this user do that?": a denial overrides any grant; an owner has all rights to the object that are
// not denied; a user who may manage a database creates and deletes its tables.
class EffectiveRights final : public GrantedRights {
public:
    // `settings` are merged over the user and the user's groups. `databaseCatalogs` maps the path of each database that
    // belongs to a catalog to the catalog. `maxResultBytes` 0 denotes no limit.
    EffectiveRights(std::string user, const RightSettings& settings,
                    const std::map<std::string, std::string>& databaseCatalogs, int64_t maxResultBytes);

    bool allows(Right right, const SecuredObject& object) const override;
    bool denies(Right right) const override { return (everything_.denied & setOf(right)) != 0; }
    int64_t maxResultBytes() const override { return maxResultBytes_; }

private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
    };
    using ByName = std::unordered_map<std::string, RightSetting, Hash, std::equal_to<>>;
    static void add(RightSetting& to, const ByName& settings, std::string_view name);

    const std::string user_;
    const int64_t maxResultBytes_;
    RightSetting everything_;
    ByName catalogs_;
    ByName databases_;  // settings by database, merged with those of its catalog
    ByName shared_;
    ByName folders_;
    ByName views_;
    ByName viewSpaces_;
    ByName tools_;
    ByName toolSpaces_;
    std::vector<std::string> prefixes_;  // prefixes of databases that the user may create
    std::unordered_map<uint64_t, RightSetting> tables_;
};

}  // namespace pelorus
