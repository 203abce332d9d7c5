// Candidates of a completion as a list on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "devtools/editing/completion.h"

namespace pelorus {

// The candidates as a list for a screen: names in columns, or one per line when there are signatures and room for them.
// Those that do not fit are counted.
std::string listCandidates(const Completion& completion, size_t screenRows, size_t screenColumns);

}  // namespace pelorus
