// NodeUsers owns the users of a node; NodeAdministrator makes the first of them.
#pragma once

#include <memory>

namespace pelorus {

class AccessControl;
class MetaStore;
class NodeAudit;
class Services;
struct ClientPolicy;
struct NodeSettings;

// Users and rights, kept in the metadata store; those of a development server are forgotten when it ends.
class NodeUsers {
public:
    // Takes over the users of former versions. `names` is the store of the catalog; it, `policy` and `services` outlive
    // the object. Throws SystemError when the store does not answer.
    NodeUsers(const NodeSettings& settings, MetaStore& names, const ClientPolicy& policy, Services& services);
    ~NodeUsers();
    NodeUsers(const NodeUsers&) = delete;
    NodeUsers& operator=(const NodeUsers&) = delete;

    AccessControl& access() { return *access_; }

private:
    const std::unique_ptr<MetaStore> forgotten_;  // of a development server
    const std::unique_ptr<AccessControl> access_;
};

// Administrator of a node, and the key by which the nodes of its cluster log in.
class NodeAdministrator {
public:
    // A new data folder gets an administrator, whose password is shown once on standard output unless it was given.
    // Takes the audit log, which has the line of the new user.
    NodeAdministrator(const NodeSettings& settings, NodeUsers& users, const NodeAudit& audit);
};

}  // namespace pelorus
