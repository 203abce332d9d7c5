#include "apps/editor/text_colours.h"

namespace pelorus {

// Colours that read on a dark and on a light background: no blue, no bright yellow or white.
std::string_view escapeSequence(TextStyle style, bool has256Colours) {
    switch (style) {
        case TextStyle::Plain:
            return "";
        case TextStyle::Keyword:
            return "\x1b[35m";
        case TextStyle::Function:
            return "\x1b[36m";
        case TextStyle::String:
        case TextStyle::Symbol:
            return "\x1b[32m";
        case TextStyle::Number:
            return has256Colours ? "\x1b[38;5;172m" : "\x1b[33m";
        case TextStyle::Comment:
            return has256Colours ? "\x1b[38;5;244m" : "\x1b[90m";
        case TextStyle::MatchingBracket:
            return "\x1b[1;4m";
        case TextStyle::UnmatchedBracket:
            return "\x1b[31m";
    }
    return "";
}

}  // namespace pelorus
