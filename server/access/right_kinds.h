// This table lists the kinds of rights by the names that grant, deny and revoke take, and the objects that each applies
// to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/function/principal.h"

namespace pelorus {

// A set of rights: bit n is Right n.
using RightSet = uint32_t;
constexpr RightSet setOf(Right right) {
    return RightSet{1} << static_cast<unsigned>(right);
}

// The kind of object that a right is granted for.
enum class RightScope : uint8_t {
    Everything,  // grant(user, kind) or "*" only
    Table,       // stored and shared tables
    Database,
    Schema,  // a schema of a catalog, "trading.taq", or "trading.*" for the whole catalog
    Catalog,
    Prefix,  // databases whose names begin so: "dfs://desk*"
    Folder,  // one of the fileFolders, by the name in that setting
    View,    // function views: "f", "ns::f", "ns::*"
    Tool,    // tools and prompts of language models: "tools/x", "prompts/*"
    Limit,   // a number of gigabytes instead of objects
};

// One kind of right, for example TABLE_READ.
struct RightKind {
    std::string_view name;
    RightSet rights = 0;  // 0 for a limit
    RightScope scope = RightScope::Everything;
    bool byOwners = false;               // the owner of an object may grant it, not only administrators
    std::string_view notSupported = {};  // the reason why it is refused
};

// Returns all kinds. They live as long as the process.
std::span<const RightKind> rightKinds();
// Returns the kind of this name. Throws UserError for an unknown name, with the nearest ones, and for a kind that is
// not supported.
const RightKind& rightKind(std::string_view name);

}  // namespace pelorus
