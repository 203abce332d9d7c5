// Line ends of delimited files: LF, CR LF, and CR alone, which old spreadsheets write, in one file or mixed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pelorus::text {

// Replaces, in place, each carriage return that ends a line without a line feed by a line feed. Carriage returns in
// quoted fields are kept. `bytes` begin at the beginning of a line; quotes in the first `skipLines` lines open no
// field. A carriage return as the last byte is replaced only when `isComplete`: otherwise a line feed may follow.
// Complexity: one pass at the speed of memory where nothing is replaced.
void endLinesWithFeeds(char* bytes, size_t size, char delimiter, int64_t skipLines, bool isComplete);

}  // namespace pelorus::text
