// ServedFolder opens the data folder of a node, and the port at which it is served.
#pragma once

#include <memory>

namespace pelorus {

class Acceptor;
class ClusterNode;
class MetaStore;
class Services;
struct NodeIdentity;
struct NodeSettings;

// Data folder that is locked for this process, behind a port that is open and not yet listened to: clients that connect
// wait. In a cluster the node has joined, and leaves when this is destroyed.
class ServedFolder {
public:
    // Opens the folder or is refused it before the port is open, so that nobody connects to a node without data; a node
    // of a cluster reports its port to the others, and opens the folder, when it joins. Stores the address in
    // `identity`. Throws SystemError when folder or port are another process's. `services` outlive the object.
    ServedFolder(const NodeSettings& settings, NodeIdentity& identity, Services& services);
    ~ServedFolder();
    ServedFolder(const ServedFolder&) = delete;
    ServedFolder& operator=(const ServedFolder&) = delete;

    // Returns the metadata store that has the names of the catalog.
    MetaStore& names();
    // Hands over the port, once.
    std::unique_ptr<Acceptor> takePort();

private:
    Services& services_;
    std::unique_ptr<Acceptor> port_;
    std::unique_ptr<ClusterNode> cluster_;  // null outside of clusters
};

}  // namespace pelorus
