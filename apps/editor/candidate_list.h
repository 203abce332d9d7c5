// Lays out the candidates of a completion on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "devtools/editing/completion.h"

namespace pelorus {

// Returns the candidates as lines: names in columns, or one per line when there are signatures that fit. The last line
// counts those that do not fit on the screen.
std::string listCandidates(const Completion& completion, size_t screenRows, size_t screenColumns);

}  // namespace pelorus
