// The built-ins of nextval, currval, lastval and setval.
#pragma once

namespace pelorus {
class FunctionRegistry;
}

namespace pelorus::postgres {

void registerSequenceFunctions(FunctionRegistry& registry);

}  // namespace pelorus::postgres
