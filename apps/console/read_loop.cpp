#include "apps/console/read_loop.h"

#include <fmt/format.h>
#include <readline/history.h>
#include <stdio.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "apps/console/script_file.h"
#include "apps/editor/external_editor.h"
#include "apps/editor/unfinished_input.h"
#include "common/error.h"
#include "common/string/trim.h"
#include "interpreter/parser/lexer.h"

namespace pelorus {

namespace {

// The signal handler reads these.
Console* runningConsole = nullptr;
StatementRunner* currentRunner = nullptr;
volatile std::sig_atomic_t isRunning = 0;

void onInterrupt(int) {
    if (isRunning) {
        currentRunner->interrupt(*runningConsole);
    } else {
        LineEditor::noteInterrupt();
    }
}

// People type these to leave; the language has no such words.
bool meansToLeave(std::string_view input) {
    input = trim(input);
    while (!input.empty() && (input.back() == ';' || input.back() == ' ' || input.back() == '\t')) {
        input.remove_suffix(1);
    }
    return input == "exit" || input == "exit()" || input == "quit" || input == "quit()";
}

// The name in `?name`, `? name` and `name?`; "?" alone asks for help as such. With a variable, `x?` begins a ternary.
bool asksForHelp(std::string_view input, const SessionNames& names, std::string_view& name) {
    input = trim(input);
    if (input.find('\n') != std::string_view::npos) return false;
    if (input.starts_with('?')) {
        name = trim(input.substr(1));
    } else if (input.ends_with('?')) {
        name = input.substr(0, input.size() - 1);
        const std::vector<Token> tokens = scanTokens(name);
        const bool isOneName = tokens.size() == 2 && tokens[0].source.size() == name.size();
        const NameKind kind = isOneName ? names.kindOf(name) : NameKind::Unknown;
        if (!isOneName || (kind != NameKind::Unknown && kind != NameKind::Function)) return false;
    } else {
        return false;
    }
    return name.find_first_of("\"\\") == std::string_view::npos;
}

// Returns whether the input begins with `_` by itself, not with _"name" or _$name.
bool beginsWithLastValue(std::string_view input) {
    if (!input.starts_with('_')) return false;
    const char next = input.size() > 1 ? input[1] : ' ';
    return std::strchr("\"'$_", next) == nullptr && !std::isalnum(static_cast<unsigned char>(next)) &&
           static_cast<unsigned char>(next) < 0x80;
}

}  // namespace

ReadLoop::ReadLoop(Console& console, StatementRunner& runner, Output& output, const std::string& historyFile)
    : console_(console),
      runner_(runner),
      output_(output),
      history_(historyFile),
      editor_(console.names(), editorOptions()) {
    runningConsole = &console;
    currentRunner = &runner;
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    addWords();
}

ReadLoop::~ReadLoop() {
    runningConsole = nullptr;
    std::signal(SIGINT, SIG_DFL);
}

LineEditor::Options ReadLoop::editorOptions() {
    LineEditor::Options options;
    options.needsMore = [this](std::string_view input) { return needsMore(input); };
    options.complete = [this](std::string_view text, size_t cursor, const std::function<bool()>& isLate) {
        return complete(text, cursor, isLate);
    };
    return options;
}

bool ReadLoop::needsMore(std::string_view input) const {
    std::string_view name;
    if (ConsoleWords::isWord(input) || asksForHelp(input, console_.names(), name)) return false;
    if (isShellCommand(input) || meansToLeave(input)) return false;
    const size_t begin = input.find_first_not_of(" \t\n");
    if (!beginsWithLastValue(input.substr(begin))) return isUnfinished(input);
    return isUnfinished(std::string(kLastValueName) + std::string(input.substr(begin + 1)));
}

// Words of the console, and behind them and in a command of the shell files.
Completion ReadLoop::complete(std::string_view text, size_t cursor, const std::function<bool()>& isLate) const {
    const std::string_view left = text.substr(0, cursor);
    const bool isWord = ConsoleWords::isWord(left);
    if (!isWord && !isShellCommand(left)) return completeAt(text, cursor, console_.names(), isLate);
    const size_t blank = left.find_last_of(" \t");
    const size_t begin = left.find(isWord ? '\\' : '!');
    if (blank != std::string_view::npos && blank > begin) return completeFileAt(left, blank + 1, isLate);
    if (!isWord) return completeFileAt(left, begin + 1, isLate);
    Completion completion;
    completion.begin = begin + 1;
    for (const ConsoleWords::Word& word : words_.words()) {
        if (!word.name.starts_with(left.substr(begin + 1))) continue;
        completion.candidates.push_back({word.name, "\\" + word.name + " " + word.arguments + "  " + word.help});
    }
    return completion;
}

void ReadLoop::addWords() {
    words_.add({"?", "", "these words", [this](const std::string&) { output_.showText(words_.list()); }});
    words_.add({"e", "", "edit the last input in $VISUAL or $EDITOR; Ctrl-X Ctrl-E: the one at the prompt",
                [this](const std::string&) { edit(InputHistory::last()); }});
    words_.add({"run", "FILE", "run a script in this session", [this](const std::string& path) { runFile(path); }});
    const auto setting = [this](std::string (Output::*set)(std::string_view)) {
        return [this, set](const std::string& words) { output_.showRemark((output_.*set)(words)); };
    };
    words_.add({"mode", "[MODE]", "table, vertical, csv, json or markdown", setting(&Output::setMode)});
    words_.add({"rows", "[auto|all|N]", "how many rows of a table are shown", setting(&Output::setRows)});
    words_.add({"width", "[auto|all|N]", "how wide tables may be", setting(&Output::setWidth)});
    words_.add({"pager", "[on|off]", "whether what is higher than the screen is paged", setting(&Output::setPager)});
    words_.add({"timing", "[on|off|auto]", "the time of statements; auto: from 50 ms on", setting(&Output::setTiming)});
    words_.add({"history", "[n]", "the last n inputs, or all", [this](const std::string& n) { showHistory(n); }});
    words_.add({"q", "", "leave", [this](const std::string&) { leaves_ = true; }});
}

void ReadLoop::converse() {
    while (!leaves_) {
        std::string input;
        const LineEditor::Outcome outcome = editor_.read(input, std::exchange(next_, ""));
        if (outcome == LineEditor::Outcome::End) return;
        if (outcome == LineEditor::Outcome::Interrupted) continue;
        try {
            if (outcome == LineEditor::Outcome::EditOutside) {
                edit(input);
            } else {
                enter(input);
            }
        } catch (const std::exception& e) {
            output_.showError(e, "", "");
        }
    }
}

void ReadLoop::enter(const std::string& input) {
    if (trim(input).empty()) return;
    if (meansToLeave(input)) {
        leaves_ = true;
        return;
    }
    if (ConsoleWords::isWord(input)) {
        words_.run(input);  // added to the history after it has run: \e edits the input before
        history_.add(input);
        return;
    }
    history_.add(input);
    std::string_view name;
    if (asksForHelp(input, console_.names(), name)) {
        run(name.empty() ? "help()" : fmt::format("help(\"{}\")", name));
    } else if (isShellCommand(input)) {
        runInShell(std::string(trim(trim(input).substr(1))));
    } else {
        run(withLastValue(input));
    }
}

bool ReadLoop::run(std::string_view script, std::string_view name) {
    isRunning = 1;
    const bool ran = runner_.run(console_, script, name);
    isRunning = 0;
    return ran;
}

void ReadLoop::runFile(const std::string& path) {
    if (path.empty()) throw UserError("\\run needs a script file.", "\\run FILE");
    run(readScriptFile(path), path);
}

void ReadLoop::edit(const std::string& text) {
    next_ = editOutside(text);
}

void ReadLoop::showHistory(const std::string& count) const {
    if (count.find_first_not_of("0123456789") != std::string::npos || count.size() > 9) {
        throw UserError(fmt::format("\\history takes a number of inputs, but not {}.", count), "\\history 20");
    }
    const int wanted = count.empty() ? history_length : std::min(history_length, std::stoi(count));
    std::string text;
    for (int i = history_length - wanted; i < history_length; ++i) {
        const HIST_ENTRY* entry = history_get(history_base + i);
        if (entry) text += std::string(entry->line) + '\n';
    }
    output_.showText(text);
}

// `!x` is the language's where x is what can be negated: a variable, a call, a bracket, a literal.
bool ReadLoop::isShellCommand(std::string_view input) const {
    input = trim(input);
    if (!input.starts_with('!')) return false;
    const std::vector<Token> tokens = scanTokens(input);
    if (tokens.size() == 2) return true;  // ! alone
    const Token& first = tokens[1];
    switch (first.kind) {
        case TokenKind::Identifier: {
            if (tokens[2].is("(") && !tokens[2].spaceBefore) return false;
            if (first.isWord("true") || first.isWord("false") || first.isWord("NULL")) return false;
            const NameKind kind = console_.names().kindOf(first.source);
            return kind == NameKind::Unknown || kind == NameKind::Function;
        }
        case TokenKind::Punctuation:
            return !first.is("(") && !first.is("[") && !first.is("!") && !first.is("-");
        case TokenKind::Invalid:
            return true;
        default:
            return false;
    }
}

std::string ReadLoop::withLastValue(std::string_view input) {
    const size_t begin = input.find_first_not_of(" \t\n");
    if (!beginsWithLastValue(input.substr(begin))) return std::string(input);
    console_.setVariable(std::string(kLastValueName), runner_.lastValue());
    return std::string(input.substr(0, begin)) + std::string(kLastValueName) + std::string(input.substr(begin + 1));
}

}  // namespace pelorus
