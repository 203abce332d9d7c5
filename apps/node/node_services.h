// NodeServices holds what a node knows of itself, its clients and their files.
#pragma once

#include <memory>

namespace pelorus {

class FileSandbox;
class Services;
class SessionRegistry;
struct ClientPolicy;
struct NodeIdentity;
struct NodeSettings;

// Services of a node that its settings alone decide. Shared with the services of the process, which may live longer.
struct NodeServices {
    // Makes the file folders that are missing. Throws UserError when they would open the node's own files.
    explicit NodeServices(const NodeSettings& settings);

    void addTo(Services& services) const;

    const std::shared_ptr<NodeIdentity> identity;  // without an address until the port is open
    const std::shared_ptr<SessionRegistry> sessions;
    const std::shared_ptr<FileSandbox> fileFolders;
    const std::shared_ptr<ClientPolicy> policy;
};

}  // namespace pelorus
