// The rows of a terminal that show an input of several lines while it is edited.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "devtools/editing/highlight.h"

namespace pelorus {

enum class TerminalColours : uint8_t { None, Eight, Many };

// An input, its cursor and its colours.
struct EditedText {
    std::string_view text;
    size_t cursor = 0;                           // a byte of the input or its end
    const Highlighting* highlighting = nullptr;  // nullptr: no colours, no marks of what is open
    std::string_view prompt = "> ";
};

struct LineLayout {
    struct Row {
        std::string text;  // with escape sequences
        size_t width = 0;  // columns of it
        bool operator==(const Row&) const = default;
    };
    std::vector<Row> rows;  // at least one
    size_t cursorRow = 0;
    size_t cursorColumn = 0;
};

// Long lines wrap, tabs are blanks up to the next eighth column, controls are shown as ^X. A line after the first one
// begins with ". ", or with the bracket or quote that is open there. REQUIRES: columns >= 2.
LineLayout layOutText(const EditedText& edited, size_t columns, TerminalColours colours);

}  // namespace pelorus
