#include "server/postgres/wire/error_response.h"

#include <algorithm>
#include <string>

#include "postgres/sql_error.h"

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

void writeField(MessageWriter& out, char letter, std::string_view value) {
    if (value.empty()) return;
    out.byte(static_cast<uint8_t>(letter));
    out.string(value);
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
    out.byte(0);
    out.end();
}

void writeError(MessageWriter& out, const std::exception& error, Severity severity, std::string_view text,
                std::string_view state) {
    const std::string own = sqlStateOf(error);
    Report report{.severity = severity, .state = state.empty() ? own : state, .message = error.what()};
    if (const auto* ours = dynamic_cast<const Error*>(&error)) report.hint = ours->hint();
    if (const auto* sql = dynamic_cast<const SqlError*>(&error)) {
        report.detail = sql->detail();
        if (sql->position() >= 0 && !text.empty())
            report.position = characterAt(text, static_cast<size_t>(sql->position()));
    }
    writeReport(out, report);
}

int characterAt(std::string_view text, size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<int>(std::count_if(before.begin(), before.end(), begins)) + 1;
}

}  // namespace pelorus::postgres
