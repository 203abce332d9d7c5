// Constructs the parser's errors.
#pragma once

#include <string>

#include "interpreter/parser/parser.h"

namespace pelorus {

inline SyntaxError syntaxError(SourcePosition position, const std::string& what, std::string hint = "",
                               bool atEnd = false) {
    return SyntaxError(position, "Syntax Error: [line #" + std::to_string(position.line) + "] " + what, std::move(hint),
                       atEnd);
}

}  // namespace pelorus
