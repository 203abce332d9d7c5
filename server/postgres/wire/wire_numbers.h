// Numbers as PostgreSQL's clients write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus::postgres {

// Append the shortest text that reads back as the same number, with an exponent where PostgreSQL has one. `digits` is
// extra_float_digits: at or below 0 it takes digits away.
void appendFloat8(std::string& out, double x, int digits);
void appendFloat4(std::string& out, float x, int digits);

// A decimal: an integer times 10^-scale.
struct DecimalNumber {
    __int128 raw = 0;
    int scale = 0;
};
void appendDecimal(std::string& out, DecimalNumber number);
// Parses digits with an optional sign, point and exponent. Throws SqlError 22P02, and 22003 beyond 38 digits.
DecimalNumber parseDecimal(std::string_view text);

// Appends the binary form of the text of a numeric: groups of four digits.
void appendBinaryNumeric(std::string& out, std::string_view text);
// Parses the binary form. Throws SqlError 22P03 for bytes that are none, 22003 beyond 38 digits.
DecimalNumber parseBinaryNumeric(std::string_view bytes);

// Parses an integer within bounds, with blanks around it. Throws SqlError 22P02, or 22003 beyond the bounds; `type`
// names it.
int64_t parseInteger(std::string_view text, int64_t least, int64_t most, std::string_view type);
double parseFloat8(std::string_view text, std::string_view type);
bool parseBool(std::string_view text);

}  // namespace pelorus::postgres
