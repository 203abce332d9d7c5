// Lays out an input of several lines in the rows of a terminal while it is edited.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/highlight.h"

namespace pelorus {

enum class TerminalColours : uint8_t { None, Eight, Many };

// The input to lay out, with its cursor and colours. The views must outlive the call.
struct EditedText {
    std::string_view text;
    size_t cursor = 0;                           // byte offset in the input, or its size
    const Highlighting* highlighting = nullptr;  // nullptr: no colours, no marks of open brackets
    std::string_view prompt = "> ";
};

// The rows and the position of the cursor in them, from 0 on.
struct LineLayout {
    struct Row {
        std::string text;  // characters with escape sequences
        size_t width = 0;  // columns that the row takes
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> rows;  // one or more rows
    size_t cursorRow = 0;
    size_t cursorColumn = 0;
};

// Returns the layout for a terminal of so many columns. Long lines wrap, tabs are blanks up to the next eighth column,
// control characters are shown as ^X. A line after the first one begins with ". ", or with the bracket or quote that is
// open there. REQUIRES: columns >= 2.
LineLayout layOutText(const EditedText& edited, size_t columns, TerminalColours colours);

}  // namespace pelorus
