// pgDefaultValue, by which the storage computes the default of a column where a foreign key sets it.
#pragma once

namespace pelorus {
class FunctionRegistry;
}

namespace pelorus::postgres {

void registerDefaultFunction(FunctionRegistry& registry);

}  // namespace pelorus::postgres
