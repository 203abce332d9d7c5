// ClusterNode makes a serving process a node of a cluster: it owns the metadata store, the membership, this node's
// chunks, and the databases over all nodes.
#pragma once

#include <memory>
#include <string>

#include "runtime/function/context.h"

namespace pelorus {

struct NodeIdentity;
struct NodeSettings;
class Cluster;
class ClusterDatabaseService;
class LocalStorage;
class MetaStore;
class Participant;
class TaskRunner;

// openStoreOf opens the metadata store that the settings name; storeNameOf returns the name by which messages call it.
std::unique_ptr<MetaStore> openStoreOf(const NodeSettings& settings);
std::string storeNameOf(const NodeSettings& settings);

// The membership of one process. The node joins the cluster in the constructor and leaves it in the destructor.
class ClusterNode {
public:
    // Opens the storage, joins the cluster, and adds its parts to `services`. The object must outlive all that uses
    // these services. Throws UserError for wrong settings, and SystemError when etcd does not answer. REQUIRES:
    // `identity` has its address.
    ClusterNode(const NodeSettings& settings, NodeIdentity& identity, Services& services);
    ~ClusterNode();

private:
    Services& services_;
    // Each part may use those before it, and is destroyed before them.
    std::unique_ptr<MetaStore> store_;
    std::shared_ptr<LocalStorage> storage_;
    std::unique_ptr<Cluster> cluster_;
    std::unique_ptr<Participant> participant_;
    std::unique_ptr<ClusterDatabaseService> databases_;
    std::unique_ptr<TaskRunner> runner_;
};

}  // namespace pelorus
