// The width of UTF-8 strings on a terminal.
//
// A character takes 0, 1 or 2 columns, as the C library's wcwidth says in the locale C.UTF-8, whatever the locale of
// the process is. Bytes that are no UTF-8 take one column each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pelorus {

// The first character of a string.
struct Utf8Char {
    uint32_t code = 0;  // 0xFFFD for a byte that is no UTF-8
    size_t bytes = 1;
};
// REQUIRES: the string is not empty.
Utf8Char firstChar(std::string_view string);

// Returns how many columns a character takes: 0 for combining marks and controls, 2 for East Asian wide characters and
// emoji.
int charWidth(uint32_t code);

// Returns how many columns the string takes. O(bytes).
size_t textWidth(std::string_view string);

// Returns the length in bytes of the longest prefix that takes at most `columns` columns; marks that combine with its
// last character belong to it.
size_t prefixOfWidth(std::string_view string, size_t columns);

// Returns the string as it may be written to a terminal: control characters are shown as \n, \t or \x1b, and bytes that
// are no UTF-8 as \xff, so that data can neither break lines nor steer the terminal. `keepLines` leaves line ends and
// tabs.
std::string printableString(std::string_view string, bool keepLines = false);

}  // namespace pelorus
