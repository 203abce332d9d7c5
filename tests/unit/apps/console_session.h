// A console on a temporary database, for what completion and colours ask of a session.
#pragma once

#include <memory>
#include <string_view>

#include "apps/console/console.h"

namespace pelorus {

// One for all cases: functions are registered once per process.
inline Console& consoleSession() {
    static const std::unique_ptr<Console> console = embeddedConsole("", "", "", {});
    return *console;
}

inline void runInSession(std::string_view script) {
    consoleSession().run(script, [](const Value&) {});
}

}  // namespace pelorus
