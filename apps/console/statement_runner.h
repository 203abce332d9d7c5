// Runs what a person enters, and shows what comes of it.
#pragma once

#include <string>
#include <string_view>

#include "apps/console/console.h"
#include "apps/console/output.h"
#include "runtime/value/value.h"

namespace pelorus {

class ProgressMeter;

// Used by one thread.
class StatementRunner {
public:
    explicit StatementRunner(Output& output) : output_(output) {}
    // For the console that will run the statements: what they print goes to the output, with the progress line away.
    ConsoleEvents events();

    // Runs a script: shows values, notes, progress, the error and the time. `name` says where the script comes from,
    // empty for the prompt. A script that ends in \G shows its values in vertical mode. Returns false after an error.
    bool run(Console& console, std::string_view script, std::string_view name = "");

    // Cancels the statement that runs, or ends the value that is shown. May be called by a signal handler.
    void interrupt(Console& console) {
        output_.interrupt();
        console.interrupt();
    }

    // The last value that was shown; VOID before the first.
    const Value& lastValue() const { return lastValue_; }

private:
    void write(const std::function<void()>& writes);

    Output& output_;
    ProgressMeter* meter_ = nullptr;  // while a statement runs
    Value lastValue_;
};

}  // namespace pelorus
