// The parts that make a serving process a node of a cluster: metadata store, membership, this node's chunks, databases
// over all nodes. Joins when made, leaves when destroyed.
#pragma once

#include <memory>

#include "apps/process/node_settings.h"
#include "runtime/function/context.h"

namespace pelorus {

struct NodeIdentity;
class Cluster;
class ClusterDatabaseService;
class LocalStorage;
class MetaStore;
class Participant;
class TaskRunner;

// The metadata store that the settings name, and how messages call it.
std::unique_ptr<MetaStore> openStoreOf(const NodeSettings& settings);
std::string storeNameOf(const NodeSettings& settings);

class ClusterNode {
public:
    // Adds its parts to the services, which it must outlive together with everything that uses them. REQUIRES:
    // `identity` has its address.
    ClusterNode(const NodeSettings& settings, NodeIdentity& identity, Services& services);
    ~ClusterNode();

private:
    Services& services_;
    // In the order of their needs; destroyed in the other.
    std::unique_ptr<MetaStore> store_;
    std::shared_ptr<LocalStorage> storage_;
    std::unique_ptr<Cluster> cluster_;
    std::unique_ptr<Participant> participant_;
    std::unique_ptr<ClusterDatabaseService> databases_;
    std::unique_ptr<TaskRunner> runner_;
};

}  // namespace pelorus
