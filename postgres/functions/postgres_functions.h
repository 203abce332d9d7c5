// Registers the built-ins that translated queries call, a family a file.
#pragma once

namespace pelorus {
class FunctionRegistry;
}

namespace pelorus::postgres {

void registerCastFunctions(FunctionRegistry& registry);
void registerArithmeticFunctions(FunctionRegistry& registry);
void registerLogicFunctions(FunctionRegistry& registry);
void registerTextFunctions(FunctionRegistry& registry);
void registerTimeFunctions(FunctionRegistry& registry);
void registerAggregateFunctions(FunctionRegistry& registry);
void registerArrayFunctions(FunctionRegistry& registry);
void registerJsonFunctions(FunctionRegistry& registry);
void registerAssignmentFunctions(FunctionRegistry& registry);
// All of them.
void registerPostgresFunctions(FunctionRegistry& registry);

}  // namespace pelorus::postgres
