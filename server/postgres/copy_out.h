// COPY … TO STDOUT: rows as text, CSV or PostgreSQL's binary form.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/parse/parsed_statement.h"
#include "server/postgres/wire/field_encoder.h"

namespace pelorus {
class Context;
class MemoryTable;
}  // namespace pelorus

namespace pelorus::postgres {

class AnswerWriter;

// The form of the rows that are copied.
struct CopyForm {
    enum class Kind : uint8_t { Text, Csv, Binary };
    Kind kind = Kind::Text;
    char delimiter = '\t';
    char quote = '"', escape = '"';
    std::string null = "\\N";
    bool hasHeader = false;
    bool quotesAll = false;           // force_quote *
    std::vector<std::string> quoted;  // force_quote (…)
};

// Reads the options of a statement. Throws SqlError 22023, 42601 or 0A000 for those that mean nothing.
CopyForm copyFormOf(const Statement& statement);

// Writes the rows as messages of a copy, from its beginning to its end. Throws UserError when the request is cancelled.
void copyOut(AnswerWriter& out, const MemoryTable& rows, const std::vector<OutputColumn>& columns, const CopyForm& form,
             const FieldStyle& style, const Context& context);

// Append one field of the text form and of CSV.
void appendCopyText(std::string& out, std::string_view field, char delimiter);
void appendCsv(std::string& out, std::string_view field, const CopyForm& form, bool isForced, bool isAlone);

}  // namespace pelorus::postgres
