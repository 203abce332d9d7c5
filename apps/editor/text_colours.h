// Colours of a terminal for styles of source text.
#pragma once

#include <string_view>

#include "devtools/editing/highlight.h"

namespace pelorus {

// The escape sequence that begins the style; the terminal has 256 colours or eight.
std::string_view escapeSequence(TextStyle style, bool has256Colours);

}  // namespace pelorus
