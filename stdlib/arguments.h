// How kernels read their parameters. `i` is the position of the argument, `name` its name in the signature: both go
// into the error when the value does not fit.
#pragma once

#include <string>
#include <string_view>

#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus {

inline bool isGiven(Arguments arguments, size_t i) {
    return i < arguments.size() && !isOmitted(arguments[i]) && !arguments[i].isVoid();
}

// An integral scalar that is not NULL.
int64_t integerArgument(Arguments arguments, size_t i, std::string_view name);
int64_t integerArgument(Arguments arguments, size_t i, std::string_view name, int64_t whenOmitted);
// A numeric scalar that is not NULL.
double realArgument(Arguments arguments, size_t i, std::string_view name);
double realArgument(Arguments arguments, size_t i, std::string_view name, double whenOmitted);
bool flagArgument(Arguments arguments, size_t i, std::string_view name, bool whenOmitted);
// The text of a STRING, SYMBOL or CHAR scalar.
std::string textArgument(Arguments arguments, size_t i, std::string_view name);
std::string textArgument(Arguments arguments, size_t i, std::string_view name, std::string_view whenOmitted);
// A type named as INT, `INT or int (TYP-04), that is no array vector and needs no scale.
Type typeArgument(Arguments arguments, size_t i, std::string_view name);

// The items of a vector, pair, set, matrix, array vector or scalar as a vector; a UserError for other forms.
Ref<Vector> vectorArgument(Arguments arguments, size_t i, std::string_view name);
// The same, as DOUBLE. NULL stays NULL.
Ref<Vector> realsArgument(Arguments arguments, size_t i, std::string_view name);
// Several names: a STRING scalar or vector.
std::vector<std::string> namesArgument(Arguments arguments, size_t i, std::string_view name);

[[noreturn]] void refuseArgument(size_t i, std::string_view name, std::string_view needed, const Value& given);

}  // namespace pelorus
