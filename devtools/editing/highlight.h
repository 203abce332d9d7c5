// Colours of source text that somebody types, and the brackets and quotes that are still open.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "devtools/editing/session_names.h"

namespace pelorus {

enum class TextStyle : uint8_t {
    Plain,
    Keyword,
    Function,
    String,
    Symbol,
    Number,  // and dates, times, named constants
    Comment,
    MatchingBracket,
    UnmatchedBracket,
};

struct Highlighting {
    std::vector<TextStyle> styles;  // one per byte of the source text
    // One per line of the source text: the bracket or quote that is open where the line begins, '*' for a comment, or
    // '\0'.
    std::vector<char> open;
};

// Any bytes are allowed. `cursor` is an offset in the source, at most its size. O(bytes), some 100 µs for 5,000
// characters.
Highlighting highlight(std::string_view text, size_t cursor, const SessionNames& names);

}  // namespace pelorus
