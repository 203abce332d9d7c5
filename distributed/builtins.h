// The built-in functions of this folder. They find Cluster, NodeIdentity and TableSpace as services of the process.
#pragma once

namespace pelorus {

class FunctionRegistry;

// rpc, remoteRun, xdb, pnodeRun, and what tells about nodes.
void registerClusterBuiltins(FunctionRegistry& registry);
// mr, imr, olsEx, repartitionDS, textChunkDS.
void registerMapReduceBuiltins(FunctionRegistry& registry);

}  // namespace pelorus
