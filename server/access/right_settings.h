// RightSettings holds the rights that one user or group was granted and denied; applySetting changes them by the rules
// of grant, deny and revoke.
//
// A setting is made for an object. An object covers those that it contains: "everything" covers all, a catalog its
// databases and their tables, a database its tables, a prefix its longer ones, "ns::*" the views of a module. A setting
// for a wide object removes those of the same rights for the objects that it covers, so that the order of former calls
// never matters. The functions have no state.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/right_kinds.h"

namespace pelorus {

// An object that rights are granted for: its kind and its name.
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
        Tool = 'm',
        ToolSpace = 'k',  // "tools" or "prompts": all of them
    };
    Kind kind = Kind::Everything;
    std::string name = {};  // name or path; of a table the path of its database
    uint64_t table = 0;     // id of a table in the catalog: a new table of the same name does not inherit rights

    // Returns the form that is stored. In the metadata store: never change.
    std::string key() const;
    // Parses what `key` returns. Throws SystemError for a key of another form.
    static AccessObject ofKey(std::string_view key);
    auto operator<=>(const AccessObject&) const = default;
};

// Returns the catalog that a database belongs to; empty for none.
using CatalogOf = std::function<std::string(const std::string& database)>;

// Returns whether `wide` is another object than `narrow` and contains it.
bool covers(const AccessObject& wide, const AccessObject& narrow, const CatalogOf& catalogOf);

// The rights that are allowed and those that are denied for one object; after applySetting no right is in both.
struct RightSetting {
    RightSet allowed = 0;
    RightSet denied = 0;
};
using RightSettings = std::map<AccessObject, RightSetting>;

enum class RightVerb : uint8_t { Grant, Deny, Revoke };

// Changes the settings of a holder, and returns the narrower objects whose denial a grant removed. A grant below a
// denial for a wider object throws UserError and changes nothing; a revocation of a right that is set for a wider
// object has no effect. `describe` names objects in that error.
std::vector<AccessObject> applySetting(RightSettings& settings, RightVerb verb, RightSet rights,
                                       const AccessObject& object, const CatalogOf& catalogOf,
                                       const std::function<std::string(const AccessObject&)>& describe);

}  // namespace pelorus
