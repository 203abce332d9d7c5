#include "runtime/format/grid.h"

#include <algorithm>

namespace pelorus {

static bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

size_t displayWidth(const std::string& string) {
    return string.size() - static_cast<size_t>(std::count_if(string.begin(), string.end(), continues));
}

namespace {

// Appends the cell's string, cut to the width with "..." or padded with blanks.
void appendCell(std::string& line, const std::string& string, size_t width, bool pad) {
    size_t size = displayWidth(string);
    if (size > width) {
        size_t keep = width > 3 ? width - 3 : 0;
        size_t at = 0;
        for (size_t shown = 0; at < string.size(); ++at) {
            if (continues(string[at])) continue;
            if (shown++ == keep) break;
        }
        line.append(string, 0, at);
        line += "...";
        size = std::max<size_t>(keep + 3, width);
    } else {
        line += string;
    }
    if (size < width) line.append(width - size, ' ');
    if (pad) line += ' ';
}

// Replaces line breaks in a cell, which would break the grid.
std::string oneLine(std::string string) {
    std::replace(string.begin(), string.end(), '\n', ' ');
    return string;
}

}  // namespace

std::string gridString(const Grid& grid) {
    auto rows = static_cast<size_t>(grid.rowCount);
    // Line 0 is the head, line 1 the dashes.
    std::vector<std::string> lines(rows + 2);
    size_t total = 0;
    if (!grid.rowLabels.empty()) {
        size_t width = 0;
        for (const std::string& label : grid.rowLabels) width = std::max(width, displayWidth(label));
        lines[0].append(width + 1, ' ');
        lines[1].append(width + 1, ' ');
        for (size_t i = 0; i < rows; ++i) {
            appendCell(lines[i + 2], grid.rowLabels[i], width, false);
            lines[i + 2] += '|';
        }
        total = width + 1;
    }
    int column = 0;
    for (; column < grid.columnCount; ++column) {
        std::string head = oneLine(grid.head(column));
        std::vector<std::string> cells(rows);
        size_t width = displayWidth(head);
        for (size_t i = 0; i < rows; ++i) {
            cells[i] = oneLine(grid.cell(column, static_cast<int>(i)));
            width = std::max(width, displayWidth(cells[i]));
        }
        width = std::min(width, grid.widestCell);
        bool last = column + 1 == grid.columnCount;
        if (column > 0 && total + width > grid.width) break;
        total += width + (last ? 0 : 1);
        appendCell(lines[0], head, width, !last);
        lines[1].append(width, '-');
        if (!last) lines[1] += ' ';
        for (size_t i = 0; i < rows; ++i) appendCell(lines[i + 2], cells[i], width, !last);
    }
    if (column < grid.columnCount) {
        for (size_t i = 0; i < lines.size(); ++i) lines[i] += i == 1 ? "---" : "...";
    }
    std::string string;
    for (size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) string += '\n';
        string += lines[i];
    }
    if (grid.moreRows) string += "\n...";
    return string;
}

}  // namespace pelorus
