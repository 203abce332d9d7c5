// Maps styles of source text to colours of a terminal.
#pragma once

#include <string_view>

#include "devtools/editing/highlight.h"

namespace pelorus {

// Returns the escape sequence that begins a style on a terminal of 256 or eight colours.
std::string_view escapeSequence(TextStyle style, bool has256Colours);

}  // namespace pelorus
