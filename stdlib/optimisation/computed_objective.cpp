#include "stdlib/optimisation/computed_objective.h"

#include "stdlib/interpolation/interpolation_arguments.h"

namespace pelorus {

ComputedObjective::ComputedObjective(std::string name, Body body) : name_(std::move(name)), body_(std::move(body)) {
    signature_.parameters.push_back({.name = "x"});
}

Value ComputedObjective::call(Context& context, std::span<Value> arguments) const {
    std::vector<Value> one(arguments.begin(), arguments.end());
    return Value::ofDouble(body_(context, numbersArgument(one, 0, "x")));
}

}  // namespace pelorus
