// Formatter of scripts: indentation and blanks, never words.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

struct FormatOptions {
    int indentWidth = 4;  // columns of one level, 1 to 16
    bool useTabs = false;
};

// Returns the source in the house layout. Lines stay where they are, comments and strings keep their contents; what
// changes is the indentation, blanks between words, runs of empty lines, and blanks at the ends of lines. Formatting
// the result again changes nothing, and the result parses to the same code: a statement for which that does not hold
// keeps its blanks. Throws SyntaxError for a source that does not parse.
std::string formatScript(std::string_view text, const FormatOptions& options = {});

}  // namespace pelorus
