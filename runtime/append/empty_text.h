// The text '' where it is a value of its own, beside NULL: the engine's empty string is NULL.
#pragma once

#include <string_view>

#include "runtime/value/vector.h"

namespace pelorus {

// The string of one byte 00, which stands for '' in row tables and in values of PostgreSQL's dialect: no text of its
// clients has such a byte. In files: never change.
constexpr std::string_view kEmptyText("\0", 1);

// Makes NULL of each '' in a column of strings, as the language reads it.
void nullEmptyTexts(Vector& column);

}  // namespace pelorus
