// Errors and notices as messages of PostgreSQL's protocol.
#pragma once

#include <cstdint>
#include <exception>
#include <string_view>

#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {

enum class Severity : uint8_t { Error, Fatal, Warning, Notice, Info };

// The fields of a report.
struct Report {
    Severity severity = Severity::Error;
    std::string_view state;  // SQLSTATE
    std::string_view message;
    std::string_view detail = {};
    std::string_view hint = {};
    // Of an error of a constraint: where it is.
    std::string_view table = {};
    std::string_view column = {};
    std::string_view constraint = {};
    int position = 0;  // of a character of the statement, from 1; 0: none
};

// Writes an ErrorResponse, or a NoticeResponse for what is no error.
void writeReport(MessageWriter& out, const Report& report);
// Writes the error with its SQLSTATE, hint and place. `text` is what the client sent, which places are counted in;
// `state` overrules the error's own where it is not empty.
void writeError(MessageWriter& out, const std::exception& error, Severity severity, std::string_view text = {},
                std::string_view state = {});
// Returns the number of the character, from 1, that begins at or holds this byte of a UTF-8 text.
int characterAt(std::string_view text, size_t byte);

}  // namespace pelorus::postgres
