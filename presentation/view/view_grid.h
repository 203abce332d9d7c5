// Grid of columns on a terminal: the view of tables and matrices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "presentation/view/view.h"
#include "presentation/view/view_cell.h"

namespace pelorus {

// The ANSI sequences of a view; empty without colors.
struct ViewStyles {
    explicit ViewStyles(bool colors)
        : bold(colors ? "\033[1m" : ""), dim(colors ? "\033[90m" : ""), end(colors ? "\033[0m" : "") {}
    const char* bold;
    const char* dim;
    const char* end;
};

struct ViewColumn {
    std::string name;
    std::string type;         // under the name; empty for none
    bool alignsRight = true;  // numbers and times
    bool mayBeCut = false;    // strings
    std::function<ViewCell(int64_t row)> cell;
};

struct ViewGrid {
    int64_t columnCount = 0;
    int64_t rowCount = 0;
    std::function<ViewColumn(int64_t)> column;  // called for columns that may be shown only
    bool hasLabels = false;                     // the first column labels the rows: it is not counted
    std::string what;                           // after "3 rows × 4 columns": " (DOUBLE matrix)"
};

// The rows that a view shows: `head` from the beginning and `tail` to the end.
struct ShownRows {
    ShownRows(int64_t count, int64_t limit)
        : count(count),
          head(limit <= 0 || count <= limit ? count : (limit + 1) / 2),
          tail(head == count ? 0 : limit / 2) {}
    int64_t count, head, tail;
    bool isWhole() const { return head == count; }
    int64_t shown() const { return head + tail; }
};

// Returns a number with its thousands separated: "1,234,567".
std::string groupedDigits(int64_t number);
// Returns a number with a noun: "1 row", "1,234 rows".
std::string counted(int64_t number, std::string_view noun);

void writeGrid(const ViewGrid& grid, const ViewOptions& options, const ViewSink& sink);
void writeVertical(const ViewGrid& grid, const ViewOptions& options, const ViewSink& sink);

}  // namespace pelorus
