// Registers the built-in functions that need the interpreter itself.
#pragma once

#include "runtime/registry/registry.h"

namespace pelorus {

void registerInterpreterBuiltins(FunctionRegistry& registry);
void registerNameBuiltins(FunctionRegistry& registry);
void registerTestingBuiltins(FunctionRegistry& registry);
void registerModuleBuiltins(FunctionRegistry& registry);
void registerClassBuiltins(FunctionRegistry& registry);
void registerTransactionBuiltins(FunctionRegistry& registry);
void registerViewBuiltins(FunctionRegistry& registry);

}  // namespace pelorus
