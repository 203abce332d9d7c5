// The view of a value: how a person sees it in a console or a notebook.
//
// `display` (runtime/value/print.h) returns the language's own string form of a value, which print, string and programs
// use. The view is for eyes: it fits a terminal, names the types of columns, counts rows, shows the head and the tail
// of long values, and NULL as NULL. Only strings are ever cut; numbers and times never are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/value/value.h"

namespace pelorus {

enum class ViewMode : uint8_t {
    Table,     // columns next to each other
    Vertical,  // each cell on a separate line, row by row
    Csv,       // all rows, for other programs
    Json,      // all rows, an array with an object per row
    Markdown,  // all rows, as a table of a document
};

// Parses "table", "vertical", "csv", "json" or "markdown"; returns nothing for any other name.
std::optional<ViewMode> viewModeOf(std::string_view name);
std::string_view viewModeName(ViewMode mode);

struct ViewOptions {
    ViewMode mode = ViewMode::Table;
    int width = 80;       // columns of the terminal; 0 for no limit
    int64_t rows = 40;    // rows, entries or elements that are shown, half of them the last ones; 0 for all
    bool colors = false;  // ANSI colors: bold names, grey types and NULLs
};

// Receives the view in chunks; returns false when no more is wanted.
using ViewSink = std::function<bool(std::string_view)>;

// Writes the view of the value; the last line is ended, too. Takes time proportional to the rows and columns that are
// shown.
void writeView(const Value& value, const ViewOptions& options, const ViewSink& sink);
std::string viewString(const Value& value, const ViewOptions& options);

}  // namespace pelorus
