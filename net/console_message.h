// A ConsoleMessage is what a node sends to a `pelorus` console while a statement runs, in addition to its answer.
//
// A console marks its requests with request_flag::kConsole. Each print block of the answer then begins with the letter
// of its kind; other clients get prints only, without the letter.
#pragma once

#include <string>
#include <string_view>

#include "runtime/function/progress.h"

namespace pelorus {

// One message. The letters are sent: never change them.
struct ConsoleMessage {
    enum class Kind : char {
        Print = 't',     // a line of the script's output
        Notice = 'n',    // a remark for a person, see Request::notice
        Progress = 'p',  // how far the statement is; without work when no phase is active
        Changed = 'c',   // rows that the statement has appended and replaced
    };
    Kind kind = Kind::Print;
    std::string string;  // the line of Print and Notice; the name of the work of Progress
    ProgressUnit unit = ProgressUnit::Rows;
    int64_t done = 0, total = 0;  // units of Progress
    Progress::ChangedRows changed;
};

// Returns the body of the print block, to be framed by formatPrint.
std::string formatConsoleMessage(const ConsoleMessage& message);
// Parses the body of a print block. Throws SystemError when it is no such message.
ConsoleMessage parseConsoleMessage(std::string_view string);

}  // namespace pelorus
