#include "apps/wiring.h"

#include "interpreter/builtins.h"
#include "interpreter/session.h"
#include "runtime/function_registry.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

void registerAllFunctions() {
    FunctionRegistry& registry = FunctionRegistry::instance();
    registerStandardLibrary(registry);
    registerInterpreterBuiltins(registry);
}

Process::Process(ProcessOptions options) : options_(std::move(options)) {
    services_.add(std::make_shared<SharedObjects>());
}

Process::~Process() = default;

}  // namespace pelorus
