// Phrases of other languages (SQL dialects, Python, R, kdb+, C) in a script that was refused, and what to write
// instead. Consulted when an error is reported: nothing of it changes what a script means.
#pragma once

#include <string>
#include <string_view>

#include "common/source_position.h"

namespace pelorus {

// Returns the advice for the first phrase that is in the line of the error; empty when there is none. `isRunning`: the
// script was valid and failed as it ran, so that only phrases which no working script has are meant.
std::string foreignSyntaxAdvice(std::string_view script, SourcePosition position, bool isRunning);

}  // namespace pelorus
