// Reader and writer of tables as delimited text (CSV).
//
// Fields may be quoted with "…", quotes inside doubled; quoted fields may contain delimiters and line ends, and what
// follows the closing quote belongs to the field. Lines end with LF or CRLF; files with CR alone are turned before
// (presentation/import/line_ends.h). A UTF-8 mark at the beginning is skipped. A field that its column's type cannot
// read becomes NULL and is counted; so are missing fields (NULL), surplus ones (ignored) and numbers that lose digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/table/table.h"
#include "runtime/text/column_guess.h"
#include "runtime/text/text_report.h"

namespace pelorus::text {

// A column to read: its field of a line, and its type.
struct TextColumn {
    std::string name;
    Type type = Type::String;
    uint8_t scale = 0;
    std::string format;       // format of temporals; empty for the usual ones
    int field = 0;            // position in the line
    bool chosen = false;      // the position was given: other fields of the line are left out on purpose
    bool mayWrap = false;     // detected as INT, with values so large that products of two overflow INT
    bool isDetected = false;  // rather than given: leading zeros, which the sample did not have, are told
};
using TextSchema = std::vector<TextColumn>;

enum class Header { Detect, Yes, No };

struct TextOptions {
    char delimiter = ',';
    bool detectsDelimiter = false;  // none was given: TextBlocks takes the one of the first lines
    int64_t skipLines = 0;
    Header header = Header::Detect;
    // Delimiter of the elements in an array vector's field, and the marker around them instead of quotes, as "[]".
    char arrayDelimiter = ',';
    std::string arrayMarker;
};

// The start of the rows, and the column names from the header (made valid and distinct) or col0 col1 …
struct TextHead {
    size_t rowsBegin = 0;
    int64_t firstLine = 1;  // number of the first row's line
    std::vector<std::string> names;
    std::vector<std::string> headings;  // the header's own names of these columns; empty when there is none
};
TextHead readHead(std::string_view bytes, const TextOptions& options);

// Returns the tab, semicolon or bar that each of the first lines has equally often, where commas do not cut all of them
// alike or stand in numbers only ("1,5;2,5"); otherwise a comma.
char detectDelimiter(std::string_view bytes, const TextOptions& options);

// Detects names and types from the head and from lines all over the bytes. Adds to `odd` the columns that nearly read
// as another type; their offsets count from the beginning of the bytes.
TextSchema detectSchema(std::string_view bytes, const TextOptions& options, std::vector<OddColumn>* odd = nullptr);

// Splits whole lines into pieces of about `pieceBytes`. Returns the ends of the pieces; the last one is the end of the
// last whole line, or of the bytes when `complete`.
std::vector<size_t> cutAtLines(std::string_view bytes, const TextOptions& options, size_t pieceBytes, bool complete);

// Turns the markers of array vectors around fields of whole lines into quotes.
void quoteArrays(char* lines, size_t size, const TextOptions& options);

// Parses lines (no head). `firstLine` is the number of the first one, for the report.
Ref<MemoryTable> parseLines(std::string_view lines, const TextSchema& schema, const TextOptions& options,
                            int64_t firstLine, TextReport& report);

// Appends rows as text, one line each. NULL is empty; strings with delimiters, quotes or line ends are quoted.
void writeLines(const MemoryTable& rows, char delimiter, std::string& bytes);
void writeHeader(const TableSchema& schema, char delimiter, std::string& bytes);

}  // namespace pelorus::text
