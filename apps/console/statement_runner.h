// StatementRunner runs the statements that a person enters, and shows their results.
#pragma once

#include <string>
#include <string_view>

#include "apps/console/console.h"
#include "apps/console/output.h"
#include "runtime/value/value.h"

namespace pelorus {

class ProgressMeter;

// The runner of one output. One thread uses it.
class StatementRunner {
public:
    explicit StatementRunner(Output& output) : output_(output) {}
    // Returns the callbacks for the console that runs the statements: they write to the output while the progress line
    // is erased.
    ConsoleEvents events();

    // Runs a script: shows values, notes, progress, the error and the time. `name` is the origin of the script, empty
    // for the prompt. A script that ends in \G shows its values in vertical mode. Returns false after an error.
    bool run(Console& console, std::string_view script, std::string_view name = "");

    // Cancels the running statement, or ends the value that is being written. Async-signal-safe.
    void interrupt(Console& console) {
        output_.interrupt();
        console.interrupt();
    }

    // Returns the last value that was shown; VOID before the first.
    const Value& lastValue() const { return lastValue_; }

private:
    void write(const std::function<void()>& writes);

    Output& output_;
    ProgressMeter* meter_ = nullptr;  // null unless a statement runs
    Value lastValue_;
};

}  // namespace pelorus
