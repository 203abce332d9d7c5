// The form of the rows that COPY reads and writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postgres/parse/parsed_statement.h"

namespace pelorus::postgres {

struct CopyForm {
    enum class Kind : uint8_t { Text, Csv, Binary };
    Kind kind = Kind::Text;
    char delimiter = '\t';
    char quote = '"', escape = '"';
    std::string null = "\\N";
    bool hasHeader = false;
    bool matchesHeader = false;  // the header names the columns
    bool quotesAll = false;      // force_quote *
    // Columns: of force_quote, and of force_not_null and force_null.
    std::vector<std::string> quoted, neverNull, nullInQuotes;
};

// Reads the options of a statement. Throws SqlError 22023, 42601 or 0A000 for those that mean nothing.
CopyForm copyFormOf(const Statement& statement);

}  // namespace pelorus::postgres
