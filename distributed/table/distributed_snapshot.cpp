#include "distributed/table/distributed_snapshot.h"

#include <atomic>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/transaction/participant.h"

namespace pelorus {
namespace {

std::string nextHoldName(const Cluster& cluster) {
    static std::atomic<uint64_t> last{0};
    return cluster.incarnation() + '/' + std::to_string(++last);
}

std::set<std::string> nodesOf(const PlacedChunks& chunks) {
    std::set<std::string> nodes;
    for (const PlacedChunk& chunk : *chunks) nodes.insert(chunk.node);
    return nodes;
}

}  // namespace

HeldPins::HeldPins(std::shared_ptr<ClusterParts> parts)
    : parts_(std::move(parts)), name_(nextHoldName(parts_->cluster)) {
    parts_->participant.beginHold(name_);
}

HeldPins::~HeldPins() {
    // From here on a node that asks hears that nothing is held.
    parts_->participant.endHold(name_);
    const std::vector<Value> arguments{Value::ofString(name_)};
    for (const std::string& node : nodes_) {
        try {
            if (node == parts_->cluster.self().alias) {
                parts_->participant.unpin(name_);
            } else if (parts_->cluster.isAlive(node)) {
                parts_->cluster.call(node, systemRequest(), "nodeUnpin", arguments);
            }
        } catch (const std::exception&) {
            // It asks, or is gone with its versions.
        }
    }
}

SnapshotHold::SnapshotHold(std::shared_ptr<ClusterParts> parts, uint64_t table)
    : parts_(std::move(parts)), pins_(parts_) {
    // The order matters: the clocks are asked, all clocks are raised to the largest, and the list of chunks must be the
    // same before and after. A transaction that places a chunk later then prepares above our number everywhere; one
    // that placed it earlier is in the list. Neither can be seen by half.
    for (;;) {
        chunks_ = parts_->placement.chunks(table);
        const std::set<std::string> nodes = nodesOf(chunks_);
        pins_.extend(nodes);
        takeNumber({nodes.begin(), nodes.end()});
        if (parts_->placement.chunks(table) == chunks_) return;
    }
}

void SnapshotHold::takeNumber(const std::vector<std::string>& nodes) {
    std::vector<uint64_t> clocks(nodes.size());
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        if (nodes[i] == parts_->cluster.self().alias) {
            clocks[i] = parts_->participant.pin(pins_.name());
            return;
        }
        const std::vector<Value> arguments{Value::ofString(pins_.name())};
        clocks[i] = static_cast<uint64_t>(
            parts_->cluster.call(nodes[i], systemRequest(), "nodePin", arguments, &abandon).integer());
    });
    number_ = 1;
    for (uint64_t clock : clocks) number_ = std::max(number_, clock);
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        if (clocks[i] == number_) return;
        if (nodes[i] == parts_->cluster.self().alias) return parts_->participant.storage().serve(number_);
        const std::vector<Value> arguments{Value::ofLong(static_cast<int64_t>(number_))};
        parts_->cluster.call(nodes[i], systemRequest(), "nodeServe", arguments, &abandon);
    });
}

DistributedSnapshot::DistributedSnapshot(std::shared_ptr<ClusterParts> parts, std::unique_ptr<SnapshotHold> hold,
                                         PlacedChunks chunks, const TableEntry& table, const PathOf& pathOf,
                                         uint64_t number)
    : parts_(std::move(parts)),
      hold_(std::move(hold)),
      pin_(parts_->participant.storage().versions(), number),
      number_(number),
      schema_(table.storedSchema()),
      rule_(sortRuleOf(table)) {
    CHECK(number != 0) << "a snapshot of several nodes has a number: 0 would pin the newest rows of this one";
    const std::string& self = parts_->cluster.self().alias;
    VersionSet& versions = parts_->participant.storage().versions();
    for (const PlacedChunk& chunk : *chunks) {
        ChunkVersionRef version;
        if (chunk.node == self) {
            const uint64_t id = versions.find(table.id, chunk.path, number);
            version = id ? versions.version(id, number) : nullptr;
            // What another node asks for by its path must be there, empty or not: from afar it could not tell.
            if (hold_ && (!version || version->rowCount == 0)) continue;
        }
        partitions_.push_back({pathOf(chunk.path), chunk.index, chunk.node == self ? "" : chunk.node});
        versions_.push_back(std::move(version));
    }
}

std::unique_ptr<PartitionReader> DistributedSnapshot::open(size_t partition) const {
    CHECK(partition < partitions_.size()) << "partitions are opened by their places in the snapshot";
    const PartitionEntry& entry = partitions_[partition];
    if (!entry.node.empty()) {
        throw UserError("The partition " + entry.path + " is kept by node " + entry.node + ".");
    }
    return makeChunkReader(versions_[partition], schema_, rule_);
}

}  // namespace pelorus
