// The conversation of the console: reads inputs until the user leaves, and does what each asks for.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apps/console/console.h"
#include "apps/console/console_words.h"
#include "apps/console/input_history.h"
#include "apps/console/line_editor.h"
#include "runtime/value/value.h"

namespace pelorus {

// How the conversation runs what is entered, and shows it.
struct StatementActions {
    // Runs a script and shows its values and its error; false after an error. `name` tells where the script is from,
    // and is empty for an input.
    std::function<bool(std::string_view script, std::string_view name)> run;
    // The value that was shown last; VOID before the first.
    std::function<Value()> lastValue;
    std::function<void(const std::exception& error)> showError;
    std::function<void(std::string_view text)> showText;  // whole lines
};

// An input is a statement of the language, or one of these at its start: a word such as \q; `?name` or `name?` for
// help;
// `!command` for the shell; `_`, the last value. One object at a time: it has the process's SIGINT, which is
// Console::interrupt while a statement runs.
class ReadLoop {
public:
    ReadLoop(Console& console, StatementActions actions, const std::string& historyFile);
    ~ReadLoop();
    ReadLoop(const ReadLoop&) = delete;
    ReadLoop& operator=(const ReadLoop&) = delete;

    // For words that the caller adds.
    ConsoleWords& words() { return words_; }
    // Returns when the user leaves.
    void converse();

private:
    void addOwnWords();
    void enter(const std::string& input);
    bool run(std::string_view script, std::string_view name = "");
    void runFile(const std::string& path);
    void edit(const std::string& text);
    void showHistory(const std::string& count) const;
    bool isShellCommand(std::string_view input) const;
    // The input with the session's name of the last value in place of `_`.
    std::string withLastValue(std::string_view input);

    Console& console_;
    const StatementActions actions_;
    ConsoleWords words_;
    InputHistory history_;
    LineEditor editor_;
    std::string next_;  // to be in the editor when the next input is read
    bool leaves_ = false;
};

}  // namespace pelorus
