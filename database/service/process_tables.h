// Registers createIPCInMemoryTable and related functions: tables in memory that all sessions of a process know by name.
#pragma once

#include "runtime/registry/registry.h"

namespace pelorus {

void registerProcessTables(FunctionRegistry& registry);

}  // namespace pelorus
