// Lexical parts of a line: names with escapes, and field values.
//
// Functions read up to `end` and return where they stopped. They throw LineError for what cannot be a line, and
// CutLine when the bytes end before the part does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/line_protocol/line_value.h"

namespace pelorus {

// The bytes end within a line.
struct CutLine {};

// A backslash escapes a blank, comma, equals sign, quote, line break or backslash; before others it is itself.
void appendUnescaped(std::string& target, std::string_view string);

struct LineName {
    std::string_view string;
    bool isEscaped = false;
    std::string unescaped() const;
};

// Reads a name of a table, tag or field, or the value of a tag, up to an unescaped blank, comma, equals sign or line
// break.
const char* readName(const char* at, const char* end, LineName& name);

// Reads the value of a field: text, or after a second equals sign its binary form.
const char* readValue(const char* at, const char* end, LineValue& value);

// Reads the time of a row in nanoseconds since 1970: a number in units of `unit` nanoseconds, or with a suffix.
const char* readTime(const char* at, const char* end, int64_t unit, int64_t& nanos);

// The first bytes of a token, for messages.
std::string excerpt(const char* at, const char* end);

}  // namespace pelorus
