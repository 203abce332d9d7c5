#include "apps/node/cluster_node.h"

#include <charconv>

#include "apps/node/lent_service.h"
#include "apps/process/node_settings.h"
#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "database/service/node_identity.h"
#include "distributed/cluster/cluster.h"
#include "distributed/map_reduce/remote_task_runner.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/guarded_store.h"
#include "distributed/metadata/metadata_etcd.h"
#include "distributed/table/cluster_database_service.h"
#include "distributed/transaction/participant.h"
#include "interpreter/session/function_views.h"
#include "runtime/function/handle_maker.h"
#include "runtime/function/principal_source.h"
#include "runtime/serialize/value_codec.h"
#include "storage/folder/local_storage.h"

namespace pelorus {
namespace {

// Tables that other nodes name in messages. Set before the first message is read.
DatabaseService* namedTables = nullptr;
const Services* namedServices = nullptr;  // their source of principals is there when the first message is

Value findNamedTable(std::string_view databasePath, std::string_view tableName, std::string_view maker) {
    Catalog& catalog = namedTables->catalog();
    const std::string path(databasePath);
    Ref<PartitionedTable> table =
        namedTables->open(catalog.database(path), catalog.table(path, std::string(tableName)));
    table->setMaker(std::make_shared<const HandleMaker>(std::string(maker), namedServices->find<PrincipalSource>()));
    return Value::of(Ref<Table>(std::move(table)));
}

}  // namespace

std::unique_ptr<MetaStore> openStoreOf(const NodeSettings& settings) {
    return openEtcdMetaStore(settings.etcdEndpoints, "pelorus/" + settings.clusterName + "/");
}

std::string storeNameOf(const NodeSettings& settings) {
    std::string name = "etcd";
    for (const std::string& endpoint : settings.etcdEndpoints) name += ' ' + endpoint;
    return name + ", clusterName " + settings.clusterName;
}

// Returns the address at which the other nodes reach this one. Throws UserError for an address such as 0.0.0.0, which
// would lead each node to itself.
static ClusterMember memberOf(const NodeSettings& settings, const NodeIdentity& identity) {
    ClusterMember member{identity.alias, identity.host, identity.port};
    if (!settings.advertised.empty()) {
        const size_t colon = settings.advertised.rfind(':');
        member.host = settings.advertised.substr(0, colon);
        if (colon != std::string::npos) {
            const std::string port = settings.advertised.substr(colon + 1);
            const auto end = port.data() + port.size();
            if (std::from_chars(port.data(), end, member.port).ptr != end || member.port < 1 || member.port > 65535)
                throw UserError("The setting advertise must be an address or address:port, but it is " +
                                settings.advertised + ".");
        }
    }
    if (member.host == "0.0.0.0" || member.host == "::" || member.host.empty()) {
        throw UserError(
            "host=" + settings.host + " is no address at which the other nodes of the cluster reach this one.",
            "Set advertise=ADDRESS, or host to the address of this machine in the nodes' network.");
    }
    return member;
}

ClusterNode::ClusterNode(const NodeSettings& settings, NodeIdentity& identity, Services& services)
    : services_(services) {
    CHECK(identity.port > 0) << "a node tells the others its port when it joins";
    CHECK(namedTables == nullptr) << "a process is one node of a cluster";
    if (settings.clusterKey.size() < 16) {
        throw UserError("A node of a cluster needs a clusterKey of at least 16 bytes, the same on all nodes.");
    }
    identity.mode = NodeMode::Data;
    const ClusterMember member = memberOf(settings, identity);
    std::unique_ptr<MetaStore> store = openStoreOf(settings);
    StorageOptions options = settings.storage;
    options.mayMoveAside = [&](const std::string& damage) {
        const bool isElsewhere = leaveForCopies(*store, settings.dataFolder, settings.alias);
        logError(
            "cluster", "the data of this node is damaged",
            {{"damage", damage}, {"then", isElsewhere ? "it is copied from other nodes" : "the node does not start"}});
        return isElsewhere;
    };
    storage_ = LocalStorage::open(settings.dataFolder, FileSystem::posix(), options);
    joinCluster(*storage_, *store, storeNameOf(settings), identity.alias);
    store_ = std::make_unique<GuardedStore>(std::move(store), storeNameOf(settings));
    storage_->announce(identity.host + ':' + std::to_string(identity.port));
    cluster_ = std::make_unique<Cluster>(*store_, member, settings.clusterKey);
    participant_ =
        std::make_unique<Participant>(storage_, *cluster_, std::chrono::seconds(settings.maxStalenessSeconds));
    databases_ = std::make_unique<ClusterDatabaseService>(
        *cluster_, *participant_, static_cast<size_t>(settings.replicationFactor), settings.outside);
    runner_ = std::make_unique<RemoteTaskRunner>(*cluster_);
    namedTables = databases_.get();
    namedServices = &services;
    setTableFinder(findNamedTable);
    lend(services, *cluster_);
    lend(services, *participant_);
    lend<DatabaseService>(services, *databases_);
    lend<TaskRunner>(services, *runner_);
}

ClusterNode::~ClusterNode() {
    setTableFinder(nullptr);
    namedTables = nullptr;
    namedServices = nullptr;
    if (auto* views = services_.find<FunctionViews>()) views->close();  // they watch the store
}

}  // namespace pelorus
