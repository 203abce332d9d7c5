// One value of a view on one line: a cell of a table, an element of a vector.
#pragma once

#include <string>

#include "runtime/value/value.h"

namespace pelorus {

struct ViewCell {
    std::string text;
    bool isNull = false;
};

// A number with six decimals, six digits when it is below 1, and at most 15 digits in all: 123456789.123, 0.333333,
// 3.2E-6, 1.5E20.
std::string viewDouble(double x);

// Any value on one line, without line ends and control characters. Strings stand bare; those inside of vectors, tuples
// and dictionaries in quotes. Of a container the first few elements are shown.
ViewCell viewCell(const Value& value);
// Row `row` of a column of a table.
ViewCell viewCellOf(const Value& column, int64_t row);
// An element of a vector, set or tuple: viewCell, with strings in quotes.
ViewCell viewElement(const Value& value);

}  // namespace pelorus
