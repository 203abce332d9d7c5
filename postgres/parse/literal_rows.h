// Rows of `insert … values` that are nothing but literals: they are read here, and the parser sees blanks in their
// place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::postgres {

// A literal of a row.
struct RowLiteral {
    enum class Kind : uint8_t { Null, True, False, Default, Number, Text };
    Kind kind = Kind::Null;
    int place = 0;         // its first byte in the text
    std::string value;     // of a number with its sign, of a text without quotes
    bool isSmall = false;  // a whole number that PostgreSQL's parser takes as an integer
};

// The rows of a list behind its first one. Immutable.
struct LiteralRows {
    std::vector<RowLiteral> cells;  // row by row
    size_t width = 0;               // cells of a row
};

// A text of one insert without those rows.
struct CutText {
    std::string text;  // of the same length: blanks stand where they were
    std::shared_ptr<const LiteralRows> rows;
};

// Takes the rows behind the first one of a list of values out of a text that begins with `insert`. Returns null rows
// unless all of these are literals, of one width: then the text says what it says to the parser alone. The caller makes
// sure that the rest is one insert of one list. O(length).
CutText cutLiteralRows(std::string_view text);

}  // namespace pelorus::postgres
