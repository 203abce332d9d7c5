// Grid of string columns: how the console shows tables and matrices.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace pelorus {

constexpr int kDisplayRows = 30;
constexpr int kDisplayColumns = 10;
constexpr int kDisplayWidth = 120;

struct Grid {
    int columnCount = 0;
    int rowCount = 0;  // shown rows, at most kDisplayRows
    bool moreRows = false;
    size_t widestCell = 0;         // longer cells are cut
    size_t width = kDisplayWidth;  // columns beyond it are left out
    // Return the strings of a column's head and of a shown cell. Called for columns that are shown only.
    std::function<std::string(int column)> head;
    std::function<std::string(int column, int row)> cell;
    // Labels before each row, as wide as the widest; empty when there are none.
    std::vector<std::string> rowLabels;
};

// Returns the lines, ended by '\n' except the last.
std::string gridString(const Grid& grid);

// Returns the width of a column on the screen, in characters, not bytes.
size_t displayWidth(const std::string& string);

}  // namespace pelorus
