// Calls of built-ins by their names.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "runtime/registry/registry.h"
#include "stdlib/register_builtins.h"

namespace pelorus::testing {

inline Value called(Context& context, std::string_view name, std::vector<Value> arguments) {
    FunctionRegistry& registry = FunctionRegistry::instance();
    if (registry.find("add") == nullptr) registerStandardLibrary(registry);
    return registry.get(name).call(context, arguments);
}

}  // namespace pelorus::testing
