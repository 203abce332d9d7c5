// Evaluates words that denote a value: type and form names, partition kinds, pi.
#pragma once

#include <string_view>

#include "runtime/value/value.h"

namespace pelorus {

// Sets `value` to that of the word; returns false when the word is an ordinary name.
bool namedConstant(std::string_view word, Value& value);

}  // namespace pelorus
