// The parts of queries of other nodes that this node runs.
#pragma once

namespace pelorus {

class FunctionRegistry;

// Registers the built-ins that other nodes call (remote/partial_query.h).
void registerRunFragment(FunctionRegistry& registry);

}  // namespace pelorus
