// Conversion between JSON text (RFC 8259) and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

enum class JsonStrings : uint8_t {
    AsString,   // every string is a STRING
    AsTemporal  // a string that is a date or time literal becomes one
};

// Parses one value. An object becomes an ordered dictionary with STRING keys, an array of scalars of one type a vector,
// another array a tuple, a number a DOUBLE, or a LONG when it is whole and DOUBLE may not hold its digits, null VOID.
// Throws UserError that names the place for text that is no JSON.
Value parseJson(std::string_view text, JsonStrings strings = JsonStrings::AsTemporal);

// Parses values that follow one another, separated by nothing but blanks.
std::vector<Value> parseJsonSequence(std::string_view text, JsonStrings strings);

// Prints scalars, vectors, tuples, array vectors, sets (arrays), dictionaries (objects) and tables in memory (an array
// with an object per row). NULL is null, but the empty string stays; temporal values are strings with a blank between
// date and time. Throws UserError for other forms and types.
std::string toJson(const Value& value);

}  // namespace pelorus
