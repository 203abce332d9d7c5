// The functions of the language, for tests of layers that know its names but make no process.
#pragma once

#include "interpreter/builtins/interpreter_builtins.h"
#include "sql/sql_builtins.h"
#include "stdlib/register_builtins.h"

namespace pelorus::testing {

// Registers them, once per process.
inline void knowLanguageFunctions() {
    FunctionRegistry& registry = FunctionRegistry::instance();
    if (registry.find("add") != nullptr) return;
    registerStandardLibrary(registry);
    registerInterpreterBuiltins(registry);
    registerSqlBuiltins(registry);
}

}  // namespace pelorus::testing
