// The built-in functions of this folder: queries, joins, data sources.
#pragma once

#include "runtime/registry/registry.h"

namespace pelorus {

void registerSqlBuiltins(FunctionRegistry& registry);

// One per family.
void registerJoins(FunctionRegistry& registry);
void registerDataSources(FunctionRegistry& registry);

}  // namespace pelorus
