// Reads what somebody types at a terminal, several lines edited as one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "devtools/editing/completion.h"
#include "devtools/editing/session_names.h"

namespace pelorus {

// The editor of the process, by GNU readline: its keys, ~/.inputrc and history list are readline's, the painting is
// ours, so that the input has several lines, colours and wide characters. On a terminal that cannot move its cursor
// readline edits line by line. One object at a time; its functions are called by one thread.
class LineEditor {
public:
    struct Options {
        std::string prompt = "> ";
        // Whether Enter asks for another line instead of ending the input.
        std::function<bool(std::string_view)> needsMore;
        // Tab's candidates; see completeAt.
        std::function<Completion(std::string_view text, size_t cursor, const std::function<bool()>& isLate)> complete;
    };
    // `names` must live as long as the editor.
    LineEditor(const SessionNames& names, Options options);
    ~LineEditor();
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    enum class Outcome {
        Input,        // one whole input, perhaps blank
        EditOutside,  // what is typed so far, to go on in another editor: Ctrl-X Ctrl-E
        Interrupted,  // Ctrl-C: what was typed is dropped, and the cursor is on a new row
        End,          // Ctrl-D, or the terminal is gone
    };
    // `initial` is in the editor already, not yet entered. Ctrl-C is SIGINT, for which the process has a handler that
    // calls noteInterrupt.
    Outcome read(std::string& input, const std::string& initial = "");

    // Async-signal-safe.
    static void noteInterrupt();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace pelorus
