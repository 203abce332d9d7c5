// Checked decomposition of values from another node. The bytes of a node are no more to be believed than others: each
// part is checked before it is used. These functions throw UserError naming the part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/function.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus::received {

[[noreturn]] void misshapen(std::string_view part);

inline void require(bool fits, std::string_view part) {
    if (!fits) misshapen(part);
}

std::string string(const Value& v, std::string_view part);
// Returns one string or several.
std::vector<std::string> strings(const Value& v, std::string_view part);
// Returns a BOOL or an integer that is not NULL.
int64_t integer(const Value& v, std::string_view part);
const std::vector<Value>& tuple(const Value& v, std::string_view part);
// Returns the elements of a tuple of exactly this size.
const std::vector<Value>& tuple(const Value& v, size_t count, std::string_view part);
// Returns a typed vector of exactly this type and size.
const Vector& vector(const Value& v, Type type, int64_t size, std::string_view part);
Ref<Function> function(const Value& v, std::string_view part);

}  // namespace pelorus::received
