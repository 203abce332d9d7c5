// LinePainter paints a LineLayout on a terminal, and writes only what has changed.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "apps/editor/line_layout.h"

namespace pelorus {

// The painter of one terminal. It knows what it painted last and where the cursor is; after other output to the
// terminal `forget` must be called.
class LinePainter {
public:
    explicit LinePainter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

    // Shows the layout; if it has more rows than the screen, those around the cursor.
    void paint(const LineLayout& layout, size_t screenRows, size_t screenColumns);
    // Shows all rows of the layout, and leaves the cursor at the start of the row below.
    void finish(const LineLayout& layout, size_t screenRows, size_t screenColumns);
    // Forgets the painted rows: the cursor is at the start of an empty row.
    void forget();
    // Erases the painted rows after the terminal was resized to so many columns: terminals wrap long rows again.
    void erase(size_t screenColumns);

private:
    void moveToRow(std::string& out, size_t row);

    std::function<void(std::string_view)> write_;
    std::vector<LineLayout::Row> painted_;
    size_t row_ = 0;     // row of the cursor among the painted rows
    size_t column_ = 0;  // column of the cursor
    size_t top_ = 0;     // first row of the layout that is painted
};

}  // namespace pelorus
