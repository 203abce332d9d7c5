// Values of PostgreSQL's types from strings and from each other, as its casts make them.
//
// Strings: the engine's empty string is NULL; PostgreSQL's '' is kept as kEmptyText. An interval is kept as INT128:
// months, days and microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "postgres/types/oids.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// Returns a string as the engine keeps it, and the string of a STRING, SYMBOL or BLOB scalar.
Value textValue(std::string_view text);
std::string_view textOfValue(const Value& value);

// Return a UUID, whose last byte is the first one here, and a string of bytes. Throw SqlError 0A000 for those that are
// NULL in columns: the UUID of zeros, and no bytes.
Value keptUuid(const void* bytes);
Value keptBytes(std::string_view bytes);

// Returns the value that a string represents. Throws SqlError: 22P02 and 22007 for a string that is none, 22003 and
// 22008 for one out of range.
Value parseText(std::string_view text, Oid type, int32_t modifier);

// Returns the string of a value that is not NULL, as PostgreSQL shows one of the type.
std::string textForm(const Value& value, Oid type, int32_t modifier);

// Returns a number as another type of number: numeric rounds half away from zero, floats half to even. `scale` and
// `precision` are those of numeric. Throws SqlError 22003.
Value convertNumber(const Value& value, Oid type, int scale, int precision);

// Cuts or pads a string for varchar(length) and char(length); 0: any length, only without the blanks at its end.
Value varcharOf(std::string_view text, int length, bool isPadded);

// A duration of PostgreSQL.
struct Interval {
    int32_t months = 0;
    int32_t days = 0;
    int64_t micros = 0;
};
Value intervalValue(const Interval& interval);
Interval intervalOf(const Value& value);

// Returns the stored integer of a temporal scalar as another temporal type. Throws UserError for what is none.
int64_t temporalAs(const Value& value, Type type);

// Returns the nanoseconds since 1970 of a scalar of any type that has a date; NULL as such.
int64_t nanosOf(const Value& instant);

}  // namespace pelorus::postgres
