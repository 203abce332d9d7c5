// Formats scripts: it changes indentation and blanks, never words.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// The style of the indentation.
struct FormatOptions {
    int indentWidth = 4;  // columns of one level, 1 to 16
    bool useTabs = false;
};

// Returns the formatted source text. Line breaks and the contents of comments and strings remain; indentation, blanks
// between words, runs of empty lines, and blanks at the ends of lines change. Formatting the result again changes
// nothing, and the result parses to the same code: a statement for which that does not hold keeps its blanks. Throws
// SyntaxError for a source text that does not parse.
std::string formatScript(std::string_view text, const FormatOptions& options = {});

}  // namespace pelorus
