#include "distributed/transaction/participant.h"

#include "common/error.h"
#include "common/log.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/transaction/installer.h"
#include "distributed/transaction/node_maintenance.h"
#include "distributed/transaction/prepared_transactions.h"
#include "distributed/transaction/snapshot_pins.h"
#include "distributed/transaction/stored_rows_reader.h"
#include "storage/commit/prepared_commits.h"
#include "storage/folder/local_storage.h"
#include "storage/version/version_set.h"

namespace pelorus {

Participant::Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster,
                         std::chrono::milliseconds maxStaleness)
    : storage_(std::move(storage)),
      cluster_(cluster),
      installer_(std::make_unique<Installer>(*storage_, cluster.incarnation())) {
    registerProcess();
    settleOld();
    map_ = std::make_unique<ClusterMap>(
        cluster_.store(), [this](const ClusterMoment& moment) { installer_->install(moment); }, maxStaleness);
    const ClusterMap::View view = map_->view();
    const NodeConfig* own = view.config->find(cluster_.self().alias);
    if (own != nullptr && own->isLost) installer_->keepFrom(view.revision);
    pins_ = std::make_unique<SnapshotPins>(*storage_, cluster_, *map_, *installer_);
    transactions_ = std::make_unique<PreparedTransactions>(*storage_, cluster_, *map_, *installer_, *pins_);
    reader_ = std::make_unique<StoredRowsReader>(*storage_, cluster_, *map_, *pins_);
    maintenance_ = std::make_unique<NodeMaintenance>(*storage_, cluster_, *map_, *installer_, *transactions_, *pins_);
}

Participant::~Participant() {
    maintenance_.reset();
    const uint64_t seen = map_->view().revision;
    reader_.reset();
    transactions_.reset();
    pins_.reset();
    map_.reset();
    try {
        noteStoreRevision(*storage_, seen);
        noteOwnFolder(*storage_, cluster_);
    } catch (const Error& error) {
        logWarning("cluster", "the end of this node could not be noted", {{"error", error.what()}});
    }
}

const std::string& Participant::alias() const {
    return cluster_.self().alias;
}

// Writes this process into the list of nodes. From then on nothing that an earlier process of the node sent for
// decision is decided: its compare of `config` fails.
void Participant::registerProcess() {
    const bool isIncomplete = !storage_->options().dataSync && wasMachineRestarted(*storage_);
    for (;;) {
        ClusterConfig config = ClusterConfig::read(cluster_.store());
        NodeConfig& own = config.started(cluster_.self().alias, cluster_.incarnation());
        if (isIncomplete) ClusterConfig::enter(own, NodeState::Out);
        if (config.write(cluster_.store())) return;
    }
}

// Ends the transactions that an older version left prepared, which numbered them itself. All nodes were stopped for the
// upgrade, so one without a record was never decided.
void Participant::settleOld() {
    for (const auto& open : storage_->prepared().openTransactions()) {
        if (!open.participants.empty()) continue;
        const auto record = cluster_.store().get(decisionKey(open.name));
        const bool commit = record && record->value.starts_with("commit ");
        storage_->prepared().applyDecisions({{open.name, commit, commit ? storage_->versions().visible() + 1 : 0}});
    }
}

}  // namespace pelorus
