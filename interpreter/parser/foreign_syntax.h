// Phrases of other languages (SQL dialects, Python, R, kdb+, C) in a script that was refused, with advice. Consulted
// when an error is reported: they never change the meaning of a script.
#pragma once

#include <string>
#include <string_view>

#include "common/source_position.h"

namespace pelorus {

// Returns the advice for the first phrase that is in the line of the error; empty when there is none. `isRunning`: the
// script was valid and failed as it ran, so that only phrases which no working script has are meant.
std::string foreignSyntaxAdvice(std::string_view script, SourcePosition position, bool isRunning);

}  // namespace pelorus
