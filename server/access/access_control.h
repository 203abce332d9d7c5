// The users of a server as principals of requests.
//
// Thread-safe. A service of the process.
#pragma once

#include <memory>
#include <string>

#include "runtime/function/principal_source.h"

namespace pelorus {

struct ClientPolicy;
class UserDirectory;

class AccessControl final : public PrincipalSource {
public:
    AccessControl(const UserDirectory& users, const ClientPolicy& policy) : users_(users), policy_(policy) {}

    std::shared_ptr<const Principal> principalOf(const std::string& user, bool isNode = false) const override;

private:
    const UserDirectory& users_;
    const ClientPolicy& policy_;
};

}  // namespace pelorus
