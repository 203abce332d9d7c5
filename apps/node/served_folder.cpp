#include "apps/node/served_folder.h"

#include "apps/node/cluster_node.h"
#include "apps/process/node_settings.h"
#include "common/check.h"
#include "database/service/database_service.h"
#include "net/connection.h"
#include "server/connection/server.h"

namespace pelorus {

ServedFolder::ServedFolder(const NodeSettings& settings, NodeIdentity& identity, Services& services)
    : services_(services) {
    const bool isInCluster = !settings.etcdEndpoints.empty();
    if (!isInCluster) names();
    port_ = openPort(settings.host, settings.port, identity);
    if (isInCluster) cluster_ = std::make_unique<ClusterNode>(settings, identity, services);
}

ServedFolder::~ServedFolder() = default;

MetaStore& ServedFolder::names() {
    auto* databases = services_.find<DatabaseService>();
    CHECK(databases != nullptr) << "the process has databases before its folder is served";
    return databases->catalog().store();
}

std::unique_ptr<Acceptor> ServedFolder::takePort() {
    CHECK(port_ != nullptr) << "one server takes the port";
    return std::move(port_);
}

}  // namespace pelorus
