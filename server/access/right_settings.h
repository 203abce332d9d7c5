// What one user or group was granted and denied, and the rules by which grant, deny and revoke change it.
//
// A setting is made for an object. One object covers another when it holds it: everything covers all, a catalog its
// databases, a database its tables, "ns::*" the views of a module. A setting for a wide object removes those of the
// same rights for the objects that it covers, so that the order of former calls never matters.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/right_kinds.h"

namespace pelorus {

struct AccessObject {
    enum class Kind : char {
        Everything = '*',
        Catalog = 'c',
        Database = 'd',
        Prefix = 'p',
        Table = 't',
        SharedTable = 's',
        Folder = 'f',
        View = 'v',
        ViewSpace = 'n',
    };
    Kind kind = Kind::Everything;
    std::string name = {};  // a table's is the path of its database
    uint64_t table = 0;     // the catalog's id, so that rights die with a dropped table

    // The form that is stored: never change.
    std::string key() const;
    // Throws SystemError for a key of another form.
    static AccessObject ofKey(std::string_view key);
    auto operator<=>(const AccessObject&) const = default;
};

// Returns the catalog that a database belongs to; empty for none.
using CatalogOf = std::function<std::string(const std::string& database)>;

// Whether `wide` is another object than `narrow`, and holds it.
bool covers(const AccessObject& wide, const AccessObject& narrow, const CatalogOf& catalogOf);

struct RightSetting {
    RightSet allowed = 0;
    RightSet denied = 0;
};
using RightSettings = std::map<AccessObject, RightSetting>;

enum class RightVerb : uint8_t { Grant, Deny, Revoke };

// Changes the settings of a holder, and returns the narrower objects whose denial a grant took away. A grant below a
// denial for a wider object throws UserError, and changes nothing; a revocation below any setting for a wider object
// does nothing. `describe` names objects in that error.
std::vector<AccessObject> applySetting(RightSettings& settings, RightVerb verb, RightSet rights,
                                       const AccessObject& object, const CatalogOf& catalogOf,
                                       const std::function<std::string(const AccessObject&)>& describe);

}  // namespace pelorus
