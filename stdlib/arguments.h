// How kernels read their parameters. `i` is the position of the argument, `name` its name in the signature: both go
// into the UserError that is thrown when the value does not fit.
#pragma once

#include <string>
#include <string_view>

#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus {

inline bool isGiven(Arguments arguments, size_t i) {
    return i < arguments.size() && !isOmitted(arguments[i]) && !arguments[i].isVoid();
}

// Returns an integral scalar that is not NULL.
int64_t integerArgument(Arguments arguments, size_t i, std::string_view name);
int64_t integerArgument(Arguments arguments, size_t i, std::string_view name, int64_t whenOmitted);
// Returns a numeric scalar that is not NULL.
double realArgument(Arguments arguments, size_t i, std::string_view name);
double realArgument(Arguments arguments, size_t i, std::string_view name, double whenOmitted);
bool flagArgument(Arguments arguments, size_t i, std::string_view name, bool whenOmitted);
// Returns the string of a STRING, SYMBOL or CHAR scalar.
std::string stringArgument(Arguments arguments, size_t i, std::string_view name);
std::string stringArgument(Arguments arguments, size_t i, std::string_view name, std::string_view whenOmitted);
// Returns a type named as INT, `INT or int, that is no array vector and needs no scale.
Type typeArgument(Arguments arguments, size_t i, std::string_view name);

// Returns the elements of a vector, pair, set, matrix, array vector or scalar as a vector. Throws UserError for other
// forms.
Ref<Vector> vectorArgument(Arguments arguments, size_t i, std::string_view name);
// Returns them as a vector of DOUBLE. NULL stays NULL.
Ref<Vector> realsArgument(Arguments arguments, size_t i, std::string_view name);
// Returns several names: a STRING scalar or vector.
std::vector<std::string> namesArgument(Arguments arguments, size_t i, std::string_view name);

[[noreturn]] void refuseArgument(size_t i, std::string_view name, std::string_view needed, const Value& given);

}  // namespace pelorus
