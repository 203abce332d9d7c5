// The built-in functions that make, open, describe, fill and drop databases and their tables.
#pragma once

#include "runtime/function_registry.h"

namespace pelorus {

void registerDatabaseBuiltins(FunctionRegistry& registry);

// One per family; called by the above.
void registerSchema(FunctionRegistry& registry);
void registerChunkBuiltins(FunctionRegistry& registry);
void registerPartitionBuiltins(FunctionRegistry& registry);
void registerLoadTextEx(FunctionRegistry& registry);
void registerDatabaseAdministration(FunctionRegistry& registry);
void registerCatalogs(FunctionRegistry& registry);

}  // namespace pelorus
