// Cells of a view: one value on one line, in a table or a vector.
#pragma once

#include <string>

#include "runtime/value/value.h"

namespace pelorus {

struct ViewCell {
    std::string string;
    bool isNull = false;
};

// Returns a number with six decimals, six digits when it is below 1, and at most 15 digits in all: 123456789.123,
// 0.333333, 3.2E-6, 1.5E20.
std::string viewDouble(double x);

// Returns any value on one line, without line ends and control characters. Strings are bare; those inside of vectors,
// tuples and dictionaries are quoted. The first few elements of a container are shown.
ViewCell viewCell(const Value& value);
// Returns row `row` of a column of a table.
ViewCell viewCellOf(const Value& column, int64_t row);
// Returns an element of a vector, set or tuple: as viewCell does, with strings in quotes.
ViewCell viewElement(const Value& value);

}  // namespace pelorus
