// Tables as delimited text (CSV) and back.
//
// Fields may be quoted with "…", quotes inside doubled; delimiters and line ends may stand inside quotes. Lines end
// with LF or CRLF. A UTF-8 mark at the beginning is skipped. What a column's type cannot read becomes NULL and is
// counted; so are missing fields (NULL) and surplus ones (ignored).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus::text {

// A column to read: which field of a line, and as what.
struct TextColumn {
    std::string name;
    Type type = Type::String;
    uint8_t scale = 0;
    std::string format;    // of temporals; empty for the usual ones
    int field = 0;         // position in the line
    bool chosen = false;   // the position was given: other fields of the line are left out on purpose
    bool mayWrap = false;  // detected as INT, with items so large that products of two leave INT
};
using TextSchema = std::vector<TextColumn>;

enum class Header { Detect, Yes, No };

struct TextOptions {
    char delimiter = ',';
    int64_t skipLines = 0;
    Header header = Header::Detect;
    // Array vectors: what stands between the items of a field, and around them instead of quotes, as "[]". IMP-01.
    char arrayDelimiter = ',';
    std::string arrayMarker;
};

// What did not read as it should; lines count from 1.
struct TextReport {
    struct Place {
        int64_t line = 0;
        std::string column;
        std::string text;
    };
    int64_t rows = 0;
    int64_t lines = 0;
    int64_t badFields = 0;
    Place firstBad;
    int64_t shortLines = 0;
    int64_t firstShort = 0;
    int64_t longLines = 0;
    int64_t firstLong = 0;
    int64_t openQuote = 0;  // line in which a quoted field begins that never ends; 0 when there is none
    std::string wrapping;   // columns that are INT only because the sample looked so: see TextColumn::mayWrap

    void add(const TextReport& later);
    void addDetected(const TextSchema& schema);
    // One line for the reader, empty when all is well.
    std::string message(std::string_view file) const;
};

// Where the rows begin, and the names that the header gives (made valid and distinct) or col0 col1 …
struct TextHead {
    size_t rowsBegin = 0;
    int64_t firstLine = 1;  // number of the first row's line
    std::vector<std::string> names;
};
TextHead readHead(std::string_view bytes, const TextOptions& options);

// Names and types from the head and from lines all over the bytes.
TextSchema detectSchema(std::string_view bytes, const TextOptions& options);

// Cuts whole lines into pieces of about `pieceBytes`. Returns the ends of the pieces; the last one is the end of the
// last whole line, or of the bytes when `complete`.
std::vector<size_t> cutAtLines(std::string_view bytes, const TextOptions& options, size_t pieceBytes, bool complete);

// Where fields of whole lines stand in the marks of array vectors, turns these into quotes.
void quoteArrays(char* lines, size_t size, const TextOptions& options);

// Parses lines (no head). `firstLine` is the number of the first one, for the report.
Ref<MemoryTable> parseLines(std::string_view lines, const TextSchema& schema, const TextOptions& options,
                            int64_t firstLine, TextReport& report);

// Appends rows as text, one line each. NULL is empty; text with delimiters, quotes or line ends is quoted.
void writeLines(const MemoryTable& rows, char delimiter, std::string& bytes);
void writeHeader(const TableSchema& schema, char delimiter, std::string& bytes);

}  // namespace pelorus::text
