#include "server/postgres/wire/error_response.h"

#include <algorithm>
#include <string>

#include "postgres/sql_error.h"
#include "runtime/append/constraint_error.h"

namespace pelorus::postgres {
namespace {

std::string_view wordOf(Severity severity) {
    switch (severity) {
        case Severity::Error:
            return "ERROR";
        case Severity::Fatal:
            return "FATAL";
        case Severity::Warning:
            return "WARNING";
        case Severity::Notice:
            return "NOTICE";
        case Severity::Info:
            return "INFO";
    }
    return "ERROR";
}

// Returns the bytes of the character that begins here: 0 when they are no UTF-8.
size_t characterBytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const size_t bytes = lead < 0x80                   ? 1
                         : lead >= 0xC2 && lead < 0xE0 ? 2
                         : lead >= 0xE0 && lead < 0xF0 ? 3
                         : lead >= 0xF0 && lead < 0xF5 ? 4
                                                       : 0;
    if (bytes == 0 || bytes > text.size()) return 0;
    uint32_t code = bytes == 1 ? lead : lead & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0) != 0x80) return 0;
        code = code << 6 | (byte & 0x3F);
    }
    const bool isLong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    const bool isSurrogate = code >= 0xD800 && code < 0xE000;
    return isLong || isSurrogate || code > 0x10FFFF ? 0 : bytes;
}

// Writes what may quote a client's bytes, which it reads as UTF-8: a byte that is no part of it is a question mark.
void writeField(MessageWriter& out, char letter, std::string_view value) {
    if (value.empty()) return;
    std::string text;
    text.reserve(value.size());
    while (!value.empty()) {
        const size_t bytes = characterBytes(value);
        text += bytes == 0 ? std::string_view("?") : value.substr(0, bytes);
        value.remove_prefix(std::max<size_t>(bytes, 1));
    }
    out.byte(static_cast<uint8_t>(letter));
    out.string(text);
}

}  // namespace

void writeReport(MessageWriter& out, const Report& report) {
    const bool isError = report.severity == Severity::Error || report.severity == Severity::Fatal;
    out.begin(isError ? 'E' : 'N');
    writeField(out, 'S', wordOf(report.severity));
    writeField(out, 'V', wordOf(report.severity));
    writeField(out, 'C', report.state);
    writeField(out, 'M', report.message.empty() ? "the request failed" : report.message);
    writeField(out, 'D', report.detail);
    writeField(out, 'H', report.hint);
    if (report.position > 0) writeField(out, 'P', std::to_string(report.position));
    writeField(out, 't', report.table);
    writeField(out, 'c', report.column);
    writeField(out, 'n', report.constraint);
    out.byte(0);
    out.end();
}

namespace {

// Returns the message without the tag in angle brackets that it may begin with: clients have the state instead.
std::string_view withoutTag(std::string_view message) {
    if (message.size() < 2 || message[0] != '<' || message[1] < 'A' || message[1] > 'Z') return message;
    const auto isLetter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    const auto end = std::find_if_not(message.begin() + 1, message.end(), isLetter);
    if (end == message.end() || *end != '>') return message;
    message.remove_prefix(static_cast<size_t>(end - message.begin()) + 1);
    return message;
}

// Returns the message of an error of a constraint in PostgreSQL's words, which clients look for.
std::string messageOf(const ConstraintError& error) {
    switch (error.kind()) {
        case ConstraintError::Kind::DuplicateKey:
            return "duplicate key value violates unique constraint \"" + error.constraint() + "\"";
        case ConstraintError::Kind::NullInRequired:
            return "null value in column \"" + error.column() + "\" of relation \"" + error.table() +
                   "\" violates not-null constraint";
        case ConstraintError::Kind::CheckViolation:
            return "new row for relation \"" + error.table() + "\" violates check constraint \"" + error.constraint() +
                   "\"";
        case ConstraintError::Kind::MissingParent:
            return "insert or update on table \"" + error.table() + "\" violates foreign key constraint \"" +
                   error.constraint() + "\"";
        case ConstraintError::Kind::StillReferenced:
            return "update or delete on table \"" + error.parent() + "\" violates foreign key constraint \"" +
                   error.constraint() + "\" on table \"" + error.table() + "\"";
    }
    return error.what();
}

}  // namespace

void writeError(MessageWriter& out, const std::exception& error, Severity severity, std::string_view text,
                std::string_view state) {
    const std::string own = sqlStateOf(error);
    Report report{.severity = severity, .state = state.empty() ? own : state, .message = withoutTag(error.what())};
    if (const auto* ours = dynamic_cast<const Error*>(&error)) report.hint = ours->hint();
    if (const auto* sql = dynamic_cast<const SqlError*>(&error)) {
        report.detail = sql->detail();
        if (sql->position() >= 0 && !text.empty())
            report.position = characterAt(text, static_cast<size_t>(sql->position()));
    }
    std::string message;
    if (const auto* refused = dynamic_cast<const ConstraintError*>(&error)) {
        message = messageOf(*refused);
        report.message = message;
        report.hint = {};
        report.detail = refused->detail();
        report.table = refused->table();
        report.column = refused->column();
        report.constraint = refused->constraint();
    }
    writeReport(out, report);
}

int characterAt(std::string_view text, size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<int>(std::count_if(before.begin(), before.end(), begins)) + 1;
}

}  // namespace pelorus::postgres
