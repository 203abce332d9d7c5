// Paints a LineLayout on a terminal, by as few changes as there are.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "apps/editor/line_layout.h"

namespace pelorus {

// Knows what it painted last and where the cursor is; whoever writes to the terminal in between calls `forget`.
class LinePainter {
public:
    explicit LinePainter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

    // Shows the layout; of more rows than the screen has those around the cursor.
    void paint(const LineLayout& layout, size_t screenRows, size_t screenColumns);
    // Shows all of the layout, and leaves the cursor at the start of the row below.
    void finish(const LineLayout& layout, size_t screenRows, size_t screenColumns);
    // The cursor is at the start of an empty row.
    void forget();
    // Removes what is painted, as a terminal of so many columns now shows it: terminals wrap long rows again.
    void erase(size_t screenColumns);

private:
    void moveToRow(std::string& out, size_t row);

    std::function<void(std::string_view)> write_;
    std::vector<LineLayout::Row> painted_;
    size_t row_ = 0;     // of the cursor, among the painted rows
    size_t column_ = 0;  // of the cursor
    size_t top_ = 0;     // the first row of the layout that is painted
};

}  // namespace pelorus
