// Decides about blanks between two tokens of one line.
#pragma once

#include "devtools/formatter/token_layout.h"

namespace pelorus {

// Returns whether a blank precedes token i, which is not the first of its line. A blank has a meaning in many places of
// the language, so that most remain as they are written.
bool wantsBlank(const std::vector<Token>& tokens, const std::vector<TokenPlace>& places, size_t i);

}  // namespace pelorus
