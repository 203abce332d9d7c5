// Converts between the objects of rights and the strings by which scripts name them in grant, deny and revoke.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/value/value.h"
#include "server/access/access_state.h"

namespace pelorus {

// An object, and the user who owns it and may therefore grant rights to it; `owner` is empty where there is none.
struct NamedObject {
    AccessObject object;
    std::string owner;
};

// Returns the objects of the third argument of grant: a string, several, a function view, or nothing for everything.
// Throws UserError for an object that does not exist, or to which rights of this kind do not apply.
std::vector<NamedObject> namedObjects(Context& context, const RightKind& kind, const Value& objects);

// Returns a function that names objects as scripts do: "dfs://TAQ/quotes". It reads the catalog once, when it is made.
std::function<std::string(const AccessObject&)> objectNames(Context& context);

}  // namespace pelorus
