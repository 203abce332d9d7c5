// Blanks between two tokens of one line.
#pragma once

#include "devtools/formatter/token_layout.h"

namespace pelorus {

// Returns whether a blank stands between `before` and `after`, which `next` follows. A blank has a meaning in many
// places of the language, so that most stay as they are written.
bool wantsBlank(const Token& before, const TokenPlace& beforePlace, const Token& after, const TokenPlace& afterPlace,
                const Token& next);

}  // namespace pelorus
