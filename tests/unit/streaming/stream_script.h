// Scripts of the tests of streams.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "common/error.h"
#include "runtime/value/print.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus::testing {

// Waits until a condition holds, for 5 s at most.
constexpr std::string_view kUntil =
    "def until(f) { for (i in 0..500) { if (f()) return true; sleep(10) }; return false };\n";

// Returns the value of the last expression as the console shows it.
inline std::string shown(std::string_view script) {
    return display(wholeProcess().run(std::string(kUntil) + std::string(script)));
}

// Returns the message with which the script fails; empty when it does not.
inline std::string failure(std::string_view script) {
    try {
        wholeProcess().run(std::string(kUntil) + std::string(script));
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

inline bool fails(std::string_view script, std::string_view with) {
    const std::string message = failure(script);
    INFO(message);
    return message.find(with) != std::string::npos;
}

}  // namespace pelorus::testing
