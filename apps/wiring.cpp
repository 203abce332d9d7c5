#include "apps/wiring.h"

#include "distributed/builtins.h"
#include "interpreter/builtins.h"
#include "interpreter/session.h"
#include "runtime/function_registry.h"
#include "server/builtins.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

void registerAllFunctions() {
    FunctionRegistry& registry = FunctionRegistry::instance();
    registerStandardLibrary(registry);
    registerInterpreterBuiltins(registry);
    registerClusterBuiltins(registry);
    registerServerBuiltins(registry);
}

Process::Process(ProcessOptions options) : options_(std::move(options)) {
    services_.add(std::make_shared<SharedObjects>());
}

Process::~Process() = default;

}  // namespace pelorus
