// Registers the function help.
#pragma once

#include "runtime/registry/registry.h"

namespace pelorus {

void registerHelp(FunctionRegistry& registry);

}  // namespace pelorus
