// ReadLoop is the read-evaluate-print loop of the console.
#pragma once

#include <string>
#include <string_view>

#include "apps/console/console.h"
#include "apps/console/console_words.h"
#include "apps/console/output.h"
#include "apps/console/statement_runner.h"
#include "apps/editor/input_history.h"
#include "apps/editor/line_editor.h"

namespace pelorus {

// The loop of one console. An input is a statement of the language, or begins with a word such as \q, `?name` or
// `name?` for help, or `!command` for the shell; `_` in a statement is the last value. A process has one object at a
// time: it handles SIGINT, which cancels the running statement, or else clears the input.
class ReadLoop {
public:
    ReadLoop(Console& console, StatementRunner& runner, Output& output, const std::string& historyFile);
    ~ReadLoop();
    ReadLoop(const ReadLoop&) = delete;
    ReadLoop& operator=(const ReadLoop&) = delete;

    // Reads and executes inputs until the user leaves.
    void converse();

private:
    LineEditor::Options editorOptions();
    bool needsMore(std::string_view input) const;
    Completion complete(std::string_view text, size_t cursor, const std::function<bool()>& isLate) const;
    void addWords();
    void enter(const std::string& input);
    bool run(std::string_view script, std::string_view name = "");
    void runFile(const std::string& path);
    void edit(const std::string& text);
    void showHistory(const std::string& count) const;
    bool isShellCommand(std::string_view input) const;
    // Returns the input with the session's name of the last value in place of `_`.
    std::string withLastValue(std::string_view input);

    Console& console_;
    StatementRunner& runner_;
    Output& output_;
    ConsoleWords words_;
    InputHistory history_;
    LineEditor editor_;
    std::string next_;  // initial contents of the editor for the next input
    bool leaves_ = false;
};

}  // namespace pelorus
