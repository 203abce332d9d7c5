// These functions read the lexical parts of a line: names with escapes, field values and times.
//
// The functions read up to `end` and return where they stopped. They throw LineError for a malformed part, and CutLine
// when the bytes end before the part does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/line_protocol/line_value.h"

namespace pelorus {

// Thrown when the bytes end within a line: the rest may still come.
struct CutLine {};

// Appends a string with its escapes replaced. A backslash escapes a blank, comma, equals sign, quote, line break or
// backslash; before other characters it is itself.
void appendUnescaped(std::string& target, std::string_view string);

// A name as it is in the line, where the bytes must live as long as the name.
struct LineName {
    std::string_view string;
    bool isEscaped = false;
    std::string unescaped() const;
};

// Reads a name of a table, tag or field, or the value of a tag, up to an unescaped blank, comma, equals sign or line
// break.
const char* readName(const char* at, const char* end, LineName& name);

// Reads the value of a field: characters, or after a second equals sign its binary form.
const char* readValue(const char* at, const char* end, LineValue& value);

// Reads the time of a row in nanoseconds since 1970: a number in units of `unit` nanoseconds, or with a suffix.
const char* readTime(const char* at, const char* end, int64_t unit, int64_t& nanos);

// Returns the first bytes of a token, for messages.
std::string excerpt(const char* at, const char* end);

}  // namespace pelorus
