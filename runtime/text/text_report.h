// Report of fields and lines that did not parse while a text file was read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::text {

// The counts of a parsed block, or their sums. Lines count from 1 within the file, or from the first line of a block
// until shiftLines moves them. Written on errors only: a file without errors costs nothing.
struct TextReport {
    struct Line {
        int64_t count = 0;
        int64_t first = 0;

        void note(int64_t line) {
            if (count++ == 0) first = line;
        }
        void add(const Line& later) {
            if (count == 0) first = later.first;
            count += later.count;
        }
    };
    // The fields that the type of a column cannot read.
    struct BadColumn : Line {
        std::string text;  // the first, at most 60 bytes of it
    };
    int64_t rows = 0;
    int64_t lines = 0;
    // The bytes that a column's text should not hold: the first field with them.
    struct OddBytes {
        int64_t line = 0;   // 0 when there are none
        size_t column = 0;  // index in the schema
    };
    std::vector<BadColumn> bad;      // one for each column of the schema; empty when there are none
    std::vector<BadColumn> rounded;  // likewise: numbers that lost digits, and codes that lost zeros
    OddBytes notUtf8, zeroBytes;
    Line shortLines, longLines;
    Line blankLines;        // blank lines before a line with fields
    Line blankLinesAtEnd;   // blank lines after the last line with fields so far
    int64_t openQuote = 0;  // line in which a quoted field begins that never ends; 0 when there is none

    // Records `count` fields of a column, the first of which is `text`.
    void noteBad(size_t column, std::string_view text, int64_t line, int64_t count = 1);
    // Records `count` fields that a column read with a loss, likewise.
    void noteRounded(size_t column, std::string_view text, int64_t line, int64_t count = 1);
    void shiftLines(int64_t by);
    // REQUIRES: `later` is of lines after those of this one.
    void add(const TextReport& later);
    int64_t badFields() const;
};

}  // namespace pelorus::text
