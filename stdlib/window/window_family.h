// Registration of window functions: one entry in help() for each of m…, tm… and cum….
#pragma once

#include <string_view>

#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus {

// Adds functions that depend on the order of rows, with the declarations that all windows have in common: a moving one
// reaches as far back as its window.
void addWindowFunction(FunctionRegistry& registry, std::string_view syntax, Kernel kernel, std::string_view summary,
                       std::string_view example, TypeRule gives = is(Type::Double), MakeRolling rolling = nullptr);

// Returns the reach of mf(X, …, window, …) and tmf(T, X, …, window, …), whose rows depend on their window alone; null
// for functions whose windows are of another kind.
Reach reachOfWindows(std::string_view syntax);

// Returns the elements as DOUBLE. Throws UserError naming X or Y.
Ref<Vector> windowReals(const Value& v, int argument);

}  // namespace pelorus
