// Fields of times (extract, date_trunc), and formats of to_char, to_date and to_timestamp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/value/value.h"

namespace pelorus::postgres {

// Returns the one name of a field: "years" is "year", "sec" is "second". Throws SqlError 22023 for an unknown one.
std::string timeField(std::string_view written);

// Returns a field of an instant, a time of day or an interval, in millionths. Throws SqlError 0A000 where the value has
// no such field.
__int128 timePart(std::string_view field, const Value& value);

// Returns the begin of the field that contains the instant. Throws SqlError 22023.
int64_t truncateTime(std::string_view field, int64_t nanos);

std::string formatTime(const Value& value, std::string_view format);
std::string formatNumber(const Value& value, std::string_view format);
// Returns nanoseconds since 1970. Throws SqlError 22007.
int64_t parseByFormat(std::string_view text, std::string_view format);

}  // namespace pelorus::postgres
