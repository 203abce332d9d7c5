// The rights of one user, those of the user's groups included, prepared for checks.
//
// Immutable. A check costs two look-ups of a hash table at most.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/access/right_settings.h"

namespace pelorus {

class EffectiveRights final : public GrantedRights {
public:
    // `databaseCatalogs`: the path of each database that belongs to a catalog, and the catalog.
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
    ByName databases_;  // with what is set for the catalog of each
    ByName shared_;
    ByName folders_;
    ByName views_;
    ByName viewSpaces_;
    std::vector<std::string> prefixes_;  // of databases that the user may create
    std::unordered_map<uint64_t, RightSetting> tables_;
};

}  // namespace pelorus
