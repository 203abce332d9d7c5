// Line ends of delimited text: LF, CR LF, and CR alone, which old spreadsheets write, in one file or mixed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pelorus::text {

// Turns each carriage return that ends a line by itself into a line feed, in place; those in quoted fields and before a
// line feed stay. The text begins at the beginning of a line. `skipLines` lines at the beginning are taken as they are:
// quotes in them open no field. A carriage return that is the last byte stays unless the text `isComplete`, as a line
// feed may follow. Costs one pass at the speed of memory where there is nothing to turn.
void endLinesWithFeeds(char* text, size_t size, char delimiter, int64_t skipLines, bool isComplete);

}  // namespace pelorus::text
