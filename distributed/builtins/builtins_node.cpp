// Requests between the nodes of a cluster: the receiving end of transactions, snapshots and removals. Only nodes may
// call these, whatever user they act for.
#include "common/error.h"
#include "database/service/database_handle.h"
#include "distributed/builtins/distributed_builtins.h"
#include "distributed/transaction/chunk_message.h"
#include "distributed/transaction/participant.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"

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

std::string textOf(const Value& v) {
    return received::text(v, "name");
}

Value nodeAppend(Context& context, Arguments arguments) {
    Participant& self = participant(context);
    const auto number = self.append(chunksFromValue(arguments[0]), textOf(arguments[1]));
    return Value::ofLong(static_cast<int64_t>(number.value_or(0)));
}

Value nodePrepare(Context& context, Arguments arguments) {
    Participant& self = participant(context);
    const auto number = self.prepare(textOf(arguments[0]), chunksFromValue(arguments[1]));
    return Value::ofLong(static_cast<int64_t>(number.value_or(0)));
}

Value nodeDecide(Context& context, Arguments arguments) {
    Participant& self = participant(context);
    self.storage().decide(textOf(arguments[0]), received::integer(arguments[1], "decision") == 1, idOf(arguments[2]));
    return Value::ofBool(true);
}

Value nodePin(Context& context, Arguments arguments) {
    return Value::ofLong(static_cast<int64_t>(participant(context).pin(textOf(arguments[0]))));
}

Value nodeUnpin(Context& context, Arguments arguments) {
    participant(context).unpin(textOf(arguments[0]));
    return Value();
}

Value nodeServe(Context& context, Arguments arguments) {
    participant(context).storage().serve(idOf(arguments[0]));
    return Value();
}

Value nodeRowCount(Context& context, Arguments arguments) {
    const Participant& self = participant(context);
    return Value::ofLong(
        self.rowCount(databasesOf(context).catalog().table(textOf(arguments[0]), textOf(arguments[1]))));
}

// All chunks of a table when no paths are given.
Value nodeRemoveRows(Context& context, Arguments arguments) {
    participant(context).removeChunks(idOf(arguments[0]), received::strings(arguments[1], "chunks"),
                                      idOf(arguments[2]));
    return Value();
}

Value nodeHolds(Context& context, Arguments arguments) {
    return Value::of(Vector::ofStrings(participant(context).stillHeld(received::strings(arguments[0], "snapshots"))));
}

Value nodeClearCache(Context& context, Arguments) {
    participant(context).storage().clearCache();
    return Value();
}

}  // namespace

void registerNodeBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Node, Effect::Writes);
    registry.add("nodeAppend(chunks, id)", nodeAppend,
                 {.summary = "Commits rows for chunks of this node, once for an id; 0 when a route is stale."},
                 kForNodes);
    registry.add("nodePrepare(transaction, chunks)", nodePrepare,
                 {.summary = "Prepares rows for chunks of this node; 0 when a route is stale."}, kForNodes);
    registry.add("nodeDecide(transaction, commit, at)", nodeDecide, {.summary = "Ends a prepared transaction."},
                 kForNodes);
    registry.add("nodePin(name)", nodePin, {.summary = "This node's clock; keeps what a snapshot from now on needs."},
                 kForNodes);
    registry.add("nodeUnpin(name)", nodeUnpin, {.summary = "Ends nodePin."}, kForNodes);
    registry.add("nodeServe(number)", nodeServe,
                 {.summary = "Gives later commits of this node numbers above this one."}, kForNodes);
    registry.add("nodeRowCount(database, table)", nodeRowCount,
                 {.summary = "The rows of a table that this node keeps."}, kForNodes);
    registry.add(
        "nodeRemoveRows(table, paths, revision)", nodeRemoveRows,
        {.summary = "Removes chunks of a table from this node that were placed here at this revision or before."},
        kForNodes);
    registry.add("nodeHolds(names)", nodeHolds, {.summary = "Which of these snapshots this node still holds."},
                 kForNodes);
    registry.add("nodeClearCache()", nodeClearCache, {.summary = "Forgets decoded blocks of this node."}, kForNodes);
}

}  // namespace pelorus
