// LineEditor reads an input of several lines from a terminal while a person edits it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "devtools/editing/completion.h"
#include "devtools/editing/session_names.h"

namespace pelorus {

// The editor of the process, by GNU readline. Keys, ~/.inputrc and the history list are readline's; LinePainter paints,
// so that the input has several lines, colours and wide characters. On a terminal that cannot move its cursor readline
// edits line by line. A process has one object at a time, and one thread calls its functions.
class LineEditor {
public:
    struct Options {
        std::string prompt = "> ";
        // Returns whether Enter adds a line instead of ending the input.
        std::function<bool(std::string_view)> needsMore;
        // Returns the candidates for Tab, see completeAt.
        std::function<Completion(std::string_view text, size_t cursor, const std::function<bool()>& isLate)> complete;
    };
    // `names` must live as long as the editor.
    LineEditor(const SessionNames& names, Options options);
    ~LineEditor();
    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    enum class Outcome {
        Input,        // one complete input, perhaps blank
        EditOutside,  // Ctrl-X Ctrl-E: the input so far, to be continued in another editor
        Interrupted,  // Ctrl-C: the input is dropped, and the cursor is on a new row
        End,          // Ctrl-D, or the terminal was closed
    };
    // Reads one input. `initial` is in the editor at the beginning. REQUIRES: the process handles SIGINT, which Ctrl-C
    // sends, by calling noteInterrupt.
    Outcome read(std::string& input, const std::string& initial = "");

    // Makes `read` return Interrupted. Async-signal-safe.
    static void noteInterrupt();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace pelorus
