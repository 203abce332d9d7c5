// Kind of an object as lists of variables show it to people and editors.
#pragma once

#include <string>

#include "runtime/value/value.h"

namespace pelorus {

// "INT"; of a table BASIC, or ALIAS when it is partitioned; of a dictionary the type of its values.
std::string objectType(const Value& value);
// "VECTOR"; of handles SYSOBJ.
std::string objectForm(const Value& value);
// Rows and columns of a matrix or table; other objects have one column. The rows of a partitioned table are not
// counted: 0.
int64_t objectRows(const Value& value);
int64_t objectColumns(const Value& value);

}  // namespace pelorus
