// Finds phrases of other languages (SQL dialects, Python, R, kdb+, C) in a script that was refused, and returns advice.
// Called when an error is reported: the phrases never change the meaning of a script.
#pragma once

#include <string>
#include <string_view>

#include "common/source_position.h"

namespace pelorus {

// Returns the advice for the first phrase in the line of the error; empty when there is none. `isRunning`: the script
// was valid and failed while it ran, so that only phrases that no working script has are searched.
std::string foreignSyntaxAdvice(std::string_view script, SourcePosition position, bool isRunning);

}  // namespace pelorus
