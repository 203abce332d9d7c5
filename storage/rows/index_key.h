// Keys of indexes: values as bytes whose order under memcmp is the order of the values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/rows/row_layout.h"

namespace pelorus {

// Appends the cell as part of a key. Integers and times are big-endian with the sign flipped, floating-point numbers
// are ordered with -0 equal to 0, texts end with two bytes of 00 (a 00 within is followed by FF). A byte before says
// whether the value is NULL: these come last.
void appendKeyPart(const RowColumn& column, RowCell cell, std::string& key);
// Returns the length of such a part in bytes; 0 when it depends on the value.
size_t keyPartBytes(const RowColumn& column);
// Returns the least key above all that begin with `prefix`; nothing when there is none.
std::optional<std::string> keyBehind(std::string prefix);

}  // namespace pelorus
