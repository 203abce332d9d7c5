#include "postgres/functions/postgres_functions.h"

#include "runtime/registry/registry.h"

namespace pelorus::postgres {

void registerPostgresFunctions(FunctionRegistry& registry) {
    registerCastFunctions(registry);
    registerArithmeticFunctions(registry);
    registerLogicFunctions(registry);
    registerTextFunctions(registry);
    registerTimeFunctions(registry);
    registerAggregateFunctions(registry);
    registerArrayFunctions(registry);
    registerJsonFunctions(registry);
    registerAssignmentFunctions(registry);
}

}  // namespace pelorus::postgres
