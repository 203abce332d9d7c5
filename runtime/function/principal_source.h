// Makes principals of the names of users: for what runs as somebody else than its caller, such as jobs and function
// views. A service of a server; an embedded database has none, and everything runs as its owner.
#pragma once

#include <memory>
#include <string>

#include "runtime/function/context.h"
#include "runtime/function/principal.h"

namespace pelorus {

class PrincipalSource {
public:
    virtual ~PrincipalSource() = default;
    // Returns the user with the rights of this moment; `isNode` when another node asks for the user. Throws UserError
    // when there is no such user. Thread-safe; takes a lock for a moment, and reads no store.
    virtual std::shared_ptr<const Principal> principalOf(const std::string& user, bool isNode = false) const = 0;
};

inline std::shared_ptr<const Principal> principalOf(const Services& services, const std::string& user) {
    const auto* source = services.find<PrincipalSource>();
    return source ? source->principalOf(user) : Principal::owner();
}

}  // namespace pelorus
