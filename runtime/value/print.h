// Printing of values: in the console, by print, and in error messages.
#pragma once

#include <string>

#include "runtime/value/value.h"

namespace pelorus {

// Returns the console's display without a line end. Tables, matrices and dictionaries span lines, each ended by '\n'
// except the last.
std::string display(const Value& value);

// Returns the display with every column and every cell of tables and matrices whole: for output that another program
// reads.
std::string displayWhole(const Value& value);

// Returns a scalar as `string(x)` does; NULL is empty.
std::string toString(const Value& scalar);

// Returns a scalar as an element of a vector or tuple: strings quoted, CHAR in quotes, NULL empty.
std::string itemString(const Value& scalar);

// Return a DOUBLE as a string by the display rule (6 decimals), and with the fewest digits that read back as the same
// number, for exports.
std::string displayDouble(double x);
std::string exportDouble(double x);
std::string exportFloat(float x);

// Returns names such as "FAST INT VECTOR", "STRING->ANY DICTIONARY".
std::string typeString(const Value& value);

}  // namespace pelorus
