#include "apps/editor/line_painter.h"

#include <fmt/format.h>

#include <algorithm>

namespace pelorus {

// Rows that are painted exist on the screen; the one after them is made by a line end, which scrolls where it must.
void LinePainter::moveToRow(std::string& out, size_t row) {
    if (row < row_) out += fmt::format("\x1b[{}A", row_ - row);
    if (row > row_ && row < painted_.size()) {
        out += fmt::format("\x1b[{}B", row - row_);
    } else if (row > row_) {
        for (; row_ < row; ++row_) out += "\r\n";
    }
    out += '\r';
    row_ = row;
}

void LinePainter::paint(const LineLayout& layout, size_t screenRows, size_t screenColumns) {
    const size_t height = std::min(layout.rows.size(), std::max<size_t>(screenRows, 1));
    top_ = std::min(top_, layout.rows.size() - height);
    if (layout.cursorRow < top_) top_ = layout.cursorRow;
    if (layout.cursorRow >= top_ + height) top_ = layout.cursorRow + 1 - height;
    const auto first = layout.rows.begin() + static_cast<ptrdiff_t>(top_);
    const std::vector<LineLayout::Row> rows(first, first + static_cast<ptrdiff_t>(height));

    std::string out;
    for (size_t i = 0; i < rows.size(); ++i) {
        const bool isNew = i >= painted_.size();
        if (!isNew && painted_[i] == rows[i]) continue;
        moveToRow(out, i);
        if (isNew) painted_.push_back(rows[i]);
        out += rows[i].text;
        if (rows[i].width < screenColumns) out += "\x1b[K";
    }
    if (painted_.size() > rows.size()) {
        moveToRow(out, rows.size());
        out += "\x1b[J";
    }
    painted_ = rows;
    moveToRow(out, layout.cursorRow - top_);
    column_ = layout.cursorColumn;
    if (column_ > 0) out += fmt::format("\x1b[{}C", column_);
    write_(out);
}

void LinePainter::finish(const LineLayout& layout, size_t screenRows, size_t screenColumns) {
    if (layout.rows.size() > screenRows) erase(screenColumns);
    paint(layout, layout.rows.size(), screenColumns);
    std::string out;
    moveToRow(out, painted_.size() - 1);
    write_(out + "\r\n");
    forget();
}

void LinePainter::forget() {
    painted_.clear();
    row_ = column_ = top_ = 0;
}

void LinePainter::erase(size_t screenColumns) {
    size_t above = column_ / screenColumns;
    for (size_t i = 0; i < row_; ++i)
        above += std::max<size_t>(1, (painted_[i].width + screenColumns - 1) / screenColumns);
    write_((above > 0 ? fmt::format("\x1b[{}A", above) : std::string()) + "\r\x1b[J");
    forget();
}

}  // namespace pelorus
