// The built-in functions of this folder. They find Cluster, Participant, NodeIdentity and DatabaseService as services
// of the process.
#pragma once

namespace pelorus {

class FunctionRegistry;

// rpc, remoteRun, xdb, pnodeRun, and functions that report on nodes.
void registerClusterBuiltins(FunctionRegistry& registry);
// Functions that nodes call on each other.
void registerNodeBuiltins(FunctionRegistry& registry);
// mr, imr, olsEx, repartitionDS, textChunkDS.
void registerMapReduceBuiltins(FunctionRegistry& registry);
// gram, pca.
void registerMomentBuiltins(FunctionRegistry& registry);
// copyReplicas, moveReplicas, deleteReplicas.
void registerReplicaBuiltins(FunctionRegistry& registry);

}  // namespace pelorus
