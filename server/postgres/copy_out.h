// COPY … TO STDOUT: rows as text, CSV or PostgreSQL's binary form.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/postgres/copy/copy_form.h"
#include "server/postgres/wire/field_encoder.h"

namespace pelorus {
class Context;
class MemoryTable;
}  // namespace pelorus

namespace pelorus::postgres {

class AnswerWriter;

// Writes the rows as messages of a copy, from its beginning to its end. Throws UserError when the request is cancelled.
void copyOut(AnswerWriter& out, const MemoryTable& rows, const std::vector<OutputColumn>& columns, const CopyForm& form,
             const FieldStyle& style, Context& context);

// Append one field of the text form and of CSV.
void appendCopyText(std::string& out, std::string_view field, char delimiter);
void appendCsv(std::string& out, std::string_view field, const CopyForm& form, bool isForced, bool isAlone);

}  // namespace pelorus::postgres
