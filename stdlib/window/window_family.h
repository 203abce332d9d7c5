// How the families of windows register: one entry in help() for each of m…, tm… and cum….
#pragma once

#include <string_view>

#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Adds functions that depend on the order of rows, with what all windows have in common said once.
void addWindowFunction(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view summary,
                       std::string_view example, TypeRule gives = is(Type::Double));

// The items as DOUBLE; a UserError names X or Y.
Ref<Vector> windowReals(const Value& v, int argument);

}  // namespace pelorus
