// Strings without the blanks around them.
#pragma once

#include <string_view>

namespace pelorus {

inline constexpr std::string_view kBlanks = " \t\r\n";

// Returns the part of the string between the first and the last character that is none of `blanks`; empty when there is
// none. The result is a view of `string`.
std::string_view trim(std::string_view string, std::string_view blanks = kBlanks);
// Returns the string up to its last character that is none of `blanks`, as a view.
std::string_view trimEnd(std::string_view string, std::string_view blanks = kBlanks);

}  // namespace pelorus
