#include "apps/editor/line_editor.h"

#include "apps/editor/candidate_list.h"

#include <poll.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <vector>

#include "apps/editor/line_painter.h"
#include "apps/terminal/terminal.h"
#include "devtools/editing/completion.h"
#include "devtools/editing/highlight.h"
#include "presentation/view/text_width.h"

namespace pelorus {

namespace {

// Set by signal handlers, read where a key is awaited.
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t stopAsked = 0;  // Ctrl-Z
volatile std::sig_atomic_t endAsked = 0;   // the signal that ends the process

void onResize(int) {
    resized = 1;
}
void onStop(int) {
    stopAsked = 1;
}
void onEnd(int signal) {
    endAsked = signal;
}

// Signal handlers that are in place while a line is read, without SA_RESTART: a signal must end the wait for a key.
class EditorSignals {
public:
    EditorSignals() {
        for (Handler& handler : handlers_) {
            struct sigaction action = {};
            action.sa_handler = handler.function;
            sigaction(handler.signal, &action, &handler.before);
            // A signal that is ignored, as under nohup, stays ignored.
            if (handler.before.sa_handler == SIG_IGN) sigaction(handler.signal, &handler.before, nullptr);
        }
    }
    ~EditorSignals() {
        for (const Handler& handler : handlers_) sigaction(handler.signal, &handler.before, nullptr);
    }
    EditorSignals(const EditorSignals&) = delete;
    EditorSignals& operator=(const EditorSignals&) = delete;

private:
    struct Handler {
        int signal;
        void (*function)(int);
        struct sigaction before;
    };
    Handler handlers_[4] = {{SIGWINCH, onResize, {}}, {SIGTSTP, onStop, {}}, {SIGTERM, onEnd, {}}, {SIGHUP, onEnd, {}}};
};

struct ScreenSize {
    size_t rows = 24, columns = 80;
};
ScreenSize screenSize() {
    const TerminalSize size = terminalSize();
    return {static_cast<size_t>(size.lines), static_cast<size_t>(std::max(size.columns, 2))};
}

void writeToTerminal(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR && errno != EAGAIN) return;
        if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
    }
}

// Returns whether typed characters are waiting to be read: a terminal without bracketed paste pastes so.
bool hasPendingInput() {
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
}

// Readline counts characters by the locale's rules, which must be those of UTF-8.
void useUtf8() {
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    rl_variable_bind("input-meta", "on");
    rl_variable_bind("output-meta", "on");
    rl_variable_bind("convert-meta", "off");
}

// Returns whether the terminal can move its cursor.
bool canMoveCursor() {
    const char* terminal = std::getenv("TERM");
    return isOutputTerminal() && terminal && *terminal && std::string_view(terminal) != "dumb";
}

TerminalColours terminalColours() {
    if (!canMoveCursor() || !areColorsWanted()) return TerminalColours::None;
    const char* depth = std::getenv("COLORTERM");
    const bool isMany = (depth && *depth) || std::strstr(std::getenv("TERM"), "256color");
    return isMany ? TerminalColours::Many : TerminalColours::Eight;
}

}  // namespace

// Readline calls functions without a context: there is one editor, and they find it here.
class LineEditor::Impl {
public:
    Impl(const SessionNames& names, Options options)
        : names_(names), options_(std::move(options)), painter_(writeToTerminal), isFull_(canMoveCursor()) {
        current = this;
        rl_readline_name = "pelorus";
        rl_catch_signals = 0;
        rl_catch_sigwinch = 0;
        rl_getc_function = readKey;
        rl_startup_hook = onStart;
        rl_pre_input_hook = onPrepared;
        rl_attempted_completion_function = offerNothing;
        rl_initialize();
        if (isFull_) rl_redisplay_function = repaint;
        addKeys();
    }
    ~Impl() { current = nullptr; }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Outcome read(std::string& input, const std::string& initial) {
        std::cout << std::flush;
        initial_ = initial;
        const Outcome outcome = isFull_ ? readWhole(input) : readByLine(input);
        initial_.clear();
        return outcome;
    }

private:
    using Command = rl_command_func_t*;

    // ---- reading

    Outcome readOnce(const std::string& prompt, std::string& line) {
        interrupted = 0;
        editOutside_ = false;
        painter_.forget();
        const EditorSignals signals;
        char* text = ::readline(prompt.c_str());
        if (text) {
            line = text;
            std::free(text);
        }
        if (interrupted) return Outcome::Interrupted;
        if (!text) return Outcome::End;
        return editOutside_ ? Outcome::EditOutside : Outcome::Input;
    }

    Outcome readWhole(std::string& input) {
        screen_ = screenSize();
        rl_set_screen_size(static_cast<int>(screen_.rows), static_cast<int>(screen_.columns));
        const Outcome outcome = readOnce(options_.prompt, input);
        // Readline itself ends the row of an end of input where it had to tell the terminal about pastes.
        if (outcome == Outcome::End && !isPasteMarked()) writeToTerminal("\n");
        return outcome;
    }

    static bool isPasteMarked() {
        const char* setting = rl_variable_value("enable-bracketed-paste");
        return setting && std::string_view(setting) == "on";
    }

    // Reads an input line by line, by readline's own display.
    Outcome readByLine(std::string& input) {
        input.clear();
        for (;;) {
            std::string line;
            const Outcome outcome = readOnce(input.empty() ? options_.prompt : ". ", line);
            if (outcome == Outcome::Interrupted) return outcome;
            if (outcome == Outcome::End) {
                writeToTerminal("\n");
                return outcome;
            }
            input += line;
            if (outcome == Outcome::EditOutside || !needsMore(input)) return outcome;
            input += '\n';
            initial_.clear();
        }
    }

    bool needsMore(std::string_view text) const {
        return text.find_first_not_of(" \t\n") != std::string_view::npos && options_.needsMore(text);
    }

    static int onStart() {
        useUtf8();  // readline reads the locale anew for each line
        if (!current->initial_.empty()) rl_insert_text(current->initial_.c_str());
        return 0;
    }

    // Ctrl-C, which no terminal sends as a key while it is a signal.
    static constexpr int kInterruptKey = 3;

    static int onInterruptKey(int, int) {
        if (current->isFull_) {
            current->accept();
        } else {
            writeToTerminal("\n");
            rl_done = 1;
            RL_SETSTATE(RL_STATE_DONE);
        }
        return 0;
    }

    // A key, or how a signal ends the wait for one. Signals are let in only while it waits, so that none comes between
    // the look at the flags and the wait.
    static int readKey(FILE*) {
        sigset_t blocked, before;
        sigemptyset(&blocked);
        for (const int signal : {SIGINT, SIGWINCH, SIGTSTP, SIGTERM, SIGHUP}) sigaddset(&blocked, signal);
        sigprocmask(SIG_BLOCK, &blocked, &before);
        const int key = current->awaitKey(before);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        return key;
    }

    int awaitKey(const sigset_t& signalsLetIn) {
        const bool awaitsCommand = RL_ISSTATE(RL_STATE_READCMD);
        const int end = awaitsCommand ? READERR : EOF;
        for (;;) {
            if (interrupted) return awaitsCommand ? kInterruptKey : EOF;
            if (endAsked) endProcess();
            if (stopAsked) stopProcess();
            if (resized) followResize();
            pollfd input = {STDIN_FILENO, POLLIN, 0};
            if (::ppoll(&input, 1, nullptr, &signalsLetIn) < 0) {
                if (errno == EINTR) continue;
                return end;
            }
            unsigned char key = 0;
            const ssize_t count = ::read(STDIN_FILENO, &key, 1);
            if (count == 1) return key;
            if (count == 0 || (errno != EINTR && errno != EAGAIN))
                return end;  // also at the end of input: EOF would enter the line
        }
    }

    // Ends the process as the signal does by itself, but restores the terminal's modes first.
    [[noreturn]] void endProcess() {
        if (isFull_) accept();
        rl_deprep_terminal();
        const int signal = endAsked;
        std::signal(signal, SIG_DFL);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, signal);
        ::raise(signal);
        sigprocmask(SIG_UNBLOCK, &only, nullptr);
        std::_Exit(128 + signal);
    }

    void stopProcess() {
        stopAsked = 0;
        rl_deprep_terminal();
        struct sigaction byDefault = {}, before = {};
        byDefault.sa_handler = SIG_DFL;
        sigaction(SIGTSTP, &byDefault, &before);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, SIGTSTP);
        ::raise(SIGTSTP);
        sigprocmask(SIG_UNBLOCK, &only, nullptr);  // stops here, until somebody continues it
        sigprocmask(SIG_BLOCK, &only, nullptr);
        sigaction(SIGTSTP, &before, nullptr);
        rl_prep_terminal(1);
        resized = 1;  // the size of the terminal may have changed
        painter_.forget();
        if (!isFull_) rl_forced_update_display();
    }

    void followResize() {
        resized = 0;
        const ScreenSize now = screenSize();
        rl_set_screen_size(static_cast<int>(now.rows), static_cast<int>(now.columns));
        if (!isFull_) return;
        painter_.erase(now.columns);
        screen_ = now;
        repaint();
    }

    // ---- painting

    LineLayout layoutOf(std::string_view text, size_t cursor, std::string_view prompt, bool marksPair) const {
        constexpr size_t kLongestColoured = 1 << 16;  // bytes; longer inputs are pasted, and must not make keys slow
        EditedText edited;
        Highlighting highlighting;
        if (text.size() <= kLongestColoured) {
            highlighting = highlight(text, marksPair ? cursor : static_cast<size_t>(-1) / 2, names_);
            edited.highlighting = &highlighting;
        }
        edited.text = text;
        edited.cursor = cursor;
        edited.prompt = prompt;
        return layOutText(edited, screen_.columns, terminalColours());
    }

    // Readline asks for this after each key. While it searches, the prompt is its own.
    static void repaint() {
        Impl& editor = *current;
        const std::string_view prompt = rl_display_prompt ? rl_display_prompt : "";
        editor.painter_.paint(editor.layoutOf(lineText(), static_cast<size_t>(rl_point), prompt, true),
                              editor.screen_.rows, editor.screen_.columns);
    }

    // Writes below the input, which is then painted again.
    void printBelow(const std::string& text) {
        if (isFull_) {
            painter_.finish(layoutOf(lineText(), lineText().size(), options_.prompt, false), screen_.rows,
                            screen_.columns);
            writeToTerminal(withCarriageReturns(text));
            repaint();
        } else {
            writeToTerminal("\r\n" + withCarriageReturns(text));
            rl_forced_update_display();
        }
    }

    static std::string withCarriageReturns(std::string_view text) {
        std::string lines;
        for (const char c : text) {
            if (c == '\n') lines += '\r';
            lines += c;
        }
        return lines;
    }

    static std::string_view lineText() { return {rl_line_buffer, static_cast<size_t>(rl_end)}; }

    // ---- keys

    struct Replacement {
        Command readlines, ours;
        bool always = false;  // bound also when readline edits line by line
    };

    static std::array<Keymap, 3> keymaps() {
        return {rl_get_keymap_by_name("emacs-standard"), rl_get_keymap_by_name("vi-insert"),
                rl_get_keymap_by_name("vi-command")};
    }

    // Keys of our own, where the user's inputrc has no other use for them.
    void addKeys() const {
        for (Keymap keys : keymaps()) {
            rl_bind_key_in_map(kInterruptKey, onInterruptKey, keys);
            rl_bind_keyseq_if_unbound_in_map("\x18\x05", onEditOutside, keys);
            if (!isFull_) continue;
            for (const char* altEnter : {"\x1b\r", "\x1b\n"}) {
                // Readline's own use of it, a change to vi's keys, is one that nobody means.
                const Command before = rl_function_of_keyseq(altEnter, keys, nullptr);
                const bool isFree = !before || before == rl_vi_editing_mode || before == rl_do_lowercase_version;
                if (isFree) rl_bind_keyseq_in_map(altEnter, onNewLine, keys);
            }
        }
    }

    // Replaces readline's functions by ours for inputs of several lines; keys remain bound as readline or the user's
    // inputrc binds them. Readline binds the keys of stty anew for each line.
    static int onPrepared() {
        static const std::vector<Replacement> replacements = {
            {rl_newline, onEnter},
            {rl_get_previous_history, onUp},
            {rl_get_next_history, onDown},
            {rl_beg_of_line, onLineStart},
            {rl_end_of_line, onLineEnd},
            {rl_kill_line, onKillToLineEnd},
            {rl_unix_line_discard, onKillToLineStart},
            {rl_clear_screen, onClearScreen},
            {rl_clear_display, onClearScreen},
            {rl_complete, onComplete, true},
            {rl_possible_completions, onComplete, true},
        };
        for (Keymap keys : keymaps()) current->replaceFunctions(keys, replacements, 0);
        return 0;
    }

    void replaceFunctions(Keymap keys, const std::vector<Replacement>& replacements, int depth) const {
        constexpr int kDeepestKeySequence = 8;
        if (!keys || depth > kDeepestKeySequence) return;
        for (int i = 0; i < KEYMAP_SIZE; ++i) {
            if (keys[i].type == ISKMAP) {
                replaceFunctions(reinterpret_cast<Keymap>(keys[i].function), replacements, depth + 1);
            } else if (keys[i].type == ISFUNC && keys[i].function) {
                for (const Replacement& replacement : replacements) {
                    const bool wanted = isFull_ || replacement.always;
                    if (wanted && keys[i].function == replacement.readlines) keys[i].function = replacement.ours;
                }
            }
        }
    }

    static char** offerNothing(const char*, int, int) {
        rl_attempted_completion_over = 1;
        return nullptr;
    }

    static int onEnter(int, int) {
        Impl& editor = *current;
        if (editor.needsMore(lineText())) return onNewLine(1, '\n');
        editor.accept();
        return 0;
    }

    // Ends the reading, with the cursor below the input.
    void accept() {
        rl_point = rl_end;
        painter_.finish(layoutOf(lineText(), lineText().size(), options_.prompt, false), screen_.rows, screen_.columns);
        rl_done = 1;
        RL_SETSTATE(RL_STATE_DONE);
    }

    // A new line begins with the blanks of the one before, unless a program types: its input has them already.
    static int onNewLine(int, int) {
        const std::string_view text = lineText();
        const size_t start = lineStart(static_cast<size_t>(rl_point));
        size_t blanks = start;
        while (blanks < static_cast<size_t>(rl_point) && (text[blanks] == ' ' || text[blanks] == '\t')) ++blanks;
        std::string inserted = "\n";
        if (!hasPendingInput()) inserted += text.substr(start, blanks - start);
        rl_insert_text(inserted.c_str());
        return 0;
    }

    static size_t lineStart(size_t at) {
        const size_t end = at == 0 ? std::string_view::npos : lineText().rfind('\n', at - 1);
        return end == std::string_view::npos ? 0 : end + 1;
    }
    static size_t lineEnd(size_t at) { return std::min(lineText().find('\n', at), lineText().size()); }

    // The place in the line at `start` that is as far from its left as the cursor is meant to be.
    static void moveInto(size_t start, size_t column) {
        rl_point = static_cast<int>(start + prefixOfWidth(lineText().substr(start, lineEnd(start) - start), column));
    }

    // The column that the cursor has, or had before it went through shorter lines.
    size_t wantedColumn() {
        const size_t point = static_cast<size_t>(rl_point);
        const size_t start = lineStart(point);
        if (rl_last_func != onUp && rl_last_func != onDown)
            column_ = textWidth(lineText().substr(start, point - start));
        return column_;
    }

    static int onUp(int count, int key) {
        const size_t start = lineStart(static_cast<size_t>(rl_point));
        if (start == 0) return rl_get_previous_history(count, key);
        moveInto(lineStart(start - 1), current->wantedColumn());
        return 0;
    }

    static int onDown(int count, int key) {
        const size_t end = lineEnd(static_cast<size_t>(rl_point));
        if (end == lineText().size()) return rl_get_next_history(count, key);
        moveInto(end + 1, current->wantedColumn());
        return 0;
    }

    static int onLineStart(int, int) {
        const size_t point = static_cast<size_t>(rl_point);
        const size_t start = lineStart(point);
        rl_point = start == point ? 0 : static_cast<int>(start);  // a second time: to the start of the input
        return 0;
    }

    static int onLineEnd(int, int) {
        const size_t point = static_cast<size_t>(rl_point);
        const size_t end = lineEnd(point);
        rl_point = end == point ? rl_end : static_cast<int>(end);
        return 0;
    }

    static int onKillToLineEnd(int, int) {
        const size_t point = static_cast<size_t>(rl_point);
        const size_t end = lineEnd(point);
        rl_kill_text(rl_point, static_cast<int>(end == point && end < lineText().size() ? end + 1 : end));
        return 0;
    }

    static int onKillToLineStart(int, int) {
        const size_t point = static_cast<size_t>(rl_point);
        size_t start = lineStart(point);
        if (start == point && start > 0) --start;
        rl_kill_text(rl_point, static_cast<int>(start));
        rl_point = static_cast<int>(start);
        return 0;
    }

    static int onClearScreen(int, int) {
        writeToTerminal("\x1b[H\x1b[2J");
        current->painter_.forget();
        repaint();
        return 0;
    }

    static int onEditOutside(int, int) {
        current->editOutside_ = true;
        if (current->isFull_) {
            current->accept();
            return 0;
        }
        return rl_newline(1, '\n');
    }

    // ---- completion

    static int onComplete(int, int) {
        current->complete();
        return 0;
    }

    void complete() {
        const size_t point = static_cast<size_t>(rl_point);
        const size_t start = lineStart(point);
        if (lineText().substr(start, point - start).find_first_not_of(" \t") == std::string_view::npos) {
            rl_insert_text("    ");  // nothing is typed: the key indents
            return;
        }
        constexpr auto kLongest = std::chrono::milliseconds(200);
        const auto deadline = std::chrono::steady_clock::now() + kLongest;
        const auto isLate = [&] { return interrupted || std::chrono::steady_clock::now() > deadline; };
        const Completion completion = options_.complete(lineText(), point, isLate);
        if (!completion.hint.empty()) {
            printBelow(completion.hint + "\n");
            return;
        }
        const std::string_view typed = lineText().substr(completion.begin, point - completion.begin);
        const std::string common = completion.commonPrefix();
        if (!common.empty() && common != typed &&
            (completion.candidates.size() == 1 || common.size() >= typed.size())) {
            rl_begin_undo_group();
            rl_delete_text(static_cast<int>(completion.begin), rl_point);
            rl_point = static_cast<int>(completion.begin);
            rl_insert_text(common.c_str());
            rl_end_undo_group();
            return;
        }
        if (completion.candidates.size() > 1 && rl_last_func == onComplete) {
            const ScreenSize screen = screenSize();
            printBelow(listCandidates(completion, screen.rows, screen.columns));
        } else if (completion.candidates.size() != 1) {
            rl_ding();
        }
    }

    static Impl* current;

    const SessionNames& names_;
    const Options options_;
    LinePainter painter_;
    const bool isFull_;
    ScreenSize screen_;
    std::string initial_;
    size_t column_ = 0;
    bool editOutside_ = false;
};

LineEditor::Impl* LineEditor::Impl::current = nullptr;

LineEditor::LineEditor(const SessionNames& names, Options options)
    : impl_(std::make_unique<Impl>(names, std::move(options))) {}

LineEditor::~LineEditor() = default;

LineEditor::Outcome LineEditor::read(std::string& input, const std::string& initial) {
    return impl_->read(input, initial);
}

void LineEditor::noteInterrupt() {
    interrupted = 1;
}

}  // namespace pelorus
