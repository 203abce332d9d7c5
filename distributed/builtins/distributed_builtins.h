// Registers the built-in functions of clusters with the interpreter. They find Cluster, Participant, NodeIdentity and
// DatabaseService as services of the process.
#pragma once

namespace pelorus {

class FunctionRegistry;

// Registers rpc, remoteRun, xdb, pnodeRun, and functions that report on nodes.
void registerClusterBuiltins(FunctionRegistry& registry);
// Registers the functions that nodes call on each other; they refuse other callers.
void registerNodeBuiltins(FunctionRegistry& registry);
// Registers mr, imr, olsEx, repartitionDS, multiTableRepartitionDS and textChunkDS.
void registerMapReduceBuiltins(FunctionRegistry& registry);
// Registers gram and pca.
void registerMomentBuiltins(FunctionRegistry& registry);
// Registers copyReplicas, moveReplicas and deleteReplicas.
void registerReplicaBuiltins(FunctionRegistry& registry);

}  // namespace pelorus
