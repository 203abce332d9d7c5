// Receives the requests between the nodes of a cluster: for transactions, snapshots and removals. Only nodes may call
// these functions, whatever user they act for.
#include "common/error.h"
#include "database/service/database_handle.h"
#include "distributed/builtins/distributed_builtins.h"
#include "distributed/transaction/node_maintenance.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/placed_batch.h"
#include "distributed/transaction/prepared_transactions.h"
#include "distributed/transaction/snapshot_pins.h"
#include "distributed/transaction/stored_rows_reader.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "storage/log/wal_writer.h"
#include "storage/segment/block_cache.h"

namespace pelorus {
namespace {

Participant& participant(Context& context) {
    if (!context.request->principal().isNode())
        throw UserError("Only the nodes of the cluster may call this function.");
    auto* service = context.service<Participant>();
    if (!service) throw UserError("This node belongs to no cluster.");
    return *service;
}

uint64_t idOf(const Value& v) {
    return static_cast<uint64_t>(received::integer(v, "number"));
}

std::string toString(const Value& v) {
    return received::string(v, "name");
}

Value nodePrepare(Context& context, Arguments arguments) {
    Participant& self = participant(context);
    const bool waits = received::integer(arguments[4], "waits") == 1;
    return Value::ofInt(static_cast<int32_t>(
        self.transactions().prepare(toString(arguments[0]), received::strings(arguments[1], "participants"),
                                    idOf(arguments[2]), batchFromValue(arguments[3]), waits)));
}

Value nodeForget(Context& context, Arguments arguments) {
    participant(context).transactions().forget(toString(arguments[0]));
    return Value();
}

Value nodeIsOpen(Context& context, Arguments arguments) {
    return Value::ofBool(participant(context).transactions().isOpen(toString(arguments[0])));
}

Value nodeName(Context& context, Arguments) {
    return Value::ofString(participant(context).alias());
}

Value nodeStatus(Context& context, Arguments) {
    Participant& self = participant(context);
    if (!self.map().hasContact())
        throw SystemError("This node does not reach the metadata store.", "Ask another one.", true);
    const int64_t syncMicros = self.storage().log().syncTime().mean.count();
    return Value::of(Vector::of(
        Type::Long, std::vector<int64_t>{static_cast<int64_t>(self.maintenance().confirmedRevision()), syncMicros}));
}

Value nodeOpen(Context& context, Arguments arguments) {
    Participant& self = participant(context);
    const bool replicated = received::integer(arguments[3], "replicated") == 1;
    self.pins().open(idOf(arguments[0]), toString(arguments[1]), idOf(arguments[2]), replicated);
    return Value::of(
        Vector::of(Type::Long, self.reader().rowCounts(idOf(arguments[0]), idOf(arguments[2]), idOf(arguments[4]),
                                                       received::strings(arguments[5], "partitions"))));
}

Value nodeClose(Context& context, Arguments arguments) {
    Participant& self = participant(context);
    received::require(arguments[0].isTypedVector() && arguments[0].type() == Type::Long, "queries");
    for (int64_t i = 0; i < arguments[0].size(); ++i)
        self.pins().close(static_cast<uint64_t>(arguments[0].at(i).asLong()));
    return Value();
}

Value nodeFetch(Context& context, Arguments arguments) {
    const int64_t part = received::integer(arguments[3], "part");
    received::require(part >= 0, "part");
    const Ref<MemoryTable> rows = participant(context).reader().fetch(
        idOf(arguments[0]), idOf(arguments[1]), toString(arguments[2]), static_cast<size_t>(part));
    return rows ? Value::of(Ref<Table>(rows)) : Value();
}

Value nodeCopyStamp(Context& context, Arguments arguments) {
    const StoredRowsReader::CopyStamp stamp =
        participant(context).reader().copyStamp(idOf(arguments[0]), idOf(arguments[1]), toString(arguments[2]));
    return Value::of(Vector::of(
        Type::Long, std::vector<int64_t>{static_cast<int64_t>(stamp.change), static_cast<int64_t>(stamp.since)}));
}

Value nodeRowCount(Context& context, Arguments arguments) {
    const Participant& self = participant(context);
    const std::vector<std::string> paths = received::strings(arguments[2], "chunks");
    return Value::ofLong(
        self.reader().visibleRows(databasesOf(context).catalog().table(toString(arguments[0]), toString(arguments[1])),
                                  {paths.begin(), paths.end()}));
}

Value nodeSettleCommits(Context& context, Arguments arguments) {
    participant(context).transactions().settleCommits(toString(arguments[0]), toString(arguments[1]),
                                                      idOf(arguments[2]));
    return Value();
}

Value nodeHolds(Context& context, Arguments arguments) {
    return Value::of(
        Vector::ofStrings(participant(context).pins().stillHeld(received::strings(arguments[0], "snapshots"))));
}

Value nodeClearCache(Context& context, Arguments) {
    participant(context).storage().blocks().clear();
    return Value();
}

}  // namespace

void registerNodeBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Node, Effect::Writes);
    registry.add(
        "nodePrepare(transaction, participants, revision, writes, waits)", nodePrepare,
        {.summary = "Prepares what a transaction writes to this node at this revision of the configuration: 0 when "
                    "that is done, otherwise why not."},
        kForNodes);
    registry.add("nodeForget(transaction)", nodeForget,
                 {.summary = "Ends a prepared transaction that its coordinator will never decide."}, kForNodes);
    registry.add("nodeIsOpen(transaction)", nodeIsOpen,
                 {.summary = "Whether this node coordinates the transaction and has not ended it."}, kForNodes);
    registry.add("nodeName()", nodeName, {.summary = "The alias of the node that answers here."}, kForNodes);
    registry.add("nodeStatus()", nodeStatus,
                 {.summary = "The revision up to which everything is on this node's disk, and the microseconds that a "
                             "sync of its log takes of late.",
                  .errors = "The node does not reach the metadata store."},
                 kForNodes);
    registry.add("nodeOpen(query, name, revision, replicated, table, partitions)", nodeOpen,
                 {.summary = "Keeps what a query at this revision reads here; how many rows the table has in each of "
                             "the partitions."},
                 kForNodes);
    registry.add("nodeClose(queries)", nodeClose, {.summary = "Ends nodeOpen."}, kForNodes);
    registry.add(
        "nodeFetch(query, table, path, part)", nodeFetch,
        {.summary = "A part of a chunk as it lies here, in an open query's snapshot; VOID behind the last one."},
        kForNodes);
    registry.add(
        "nodeCopyStamp(query, table, path)", nodeCopyStamp,
        {.summary = "The number of the last change of a partition's rows here, in an open query's snapshot, and the "
                    "revision at which this node was complete."},
        kForNodes);
    registry.add("nodeRowCount(database, table, paths)", nodeRowCount,
                 {.summary = "The rows of chunks of a table that this node keeps."}, kForNodes);
    registry.add(
        "nodeSettleCommits(database, partition, revision)", nodeSettleCommits,
        {.summary = "Returns when this node knows of the revision, and what it began to commit to the partition "
                    "before has ended."},
        kForNodes);
    registry.add("nodeHolds(names)", nodeHolds, {.summary = "Which of these snapshots this node still holds."},
                 kForNodes);
    registry.add("nodeClearCache()", nodeClearCache, {.summary = "Forgets decoded blocks of this node."}, kForNodes);
}

}  // namespace pelorus
