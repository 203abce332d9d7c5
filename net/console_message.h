// Messages that a node sends to a console of ours while a statement runs, in addition to its answer.
//
// A console marks its requests with request_flag::kConsole. Each print block that answers it then begins with a letter
// that says what it is; other clients get prints only, without that letter.
#pragma once

#include <string>
#include <string_view>

#include "runtime/function/progress.h"

namespace pelorus {

struct ConsoleMessage {
    enum class Kind : char {
        Print = 't',     // a line of the script's output
        Notice = 'n',    // a remark for a person, see Request::notice
        Progress = 'p',  // how far the statement is; without work when no phase is active
        Changed = 'c',   // rows that the statement has appended and replaced
    };
    Kind kind = Kind::Print;
    std::string string;  // of Print and Notice; of Progress the work
    ProgressUnit unit = ProgressUnit::Rows;
    int64_t done = 0, total = 0;  // of Progress
    Progress::ChangedRows changed;
};

// Returns the body of the print block, to be framed by formatPrint.
std::string formatConsoleMessage(const ConsoleMessage& message);
// Throws SystemError when the body is no such message.
ConsoleMessage parseConsoleMessage(std::string_view string);

}  // namespace pelorus
