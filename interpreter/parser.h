// Script text to code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/error.h"
#include "runtime/code/expression.h"

namespace pelorus {

// A place where the text is not the language. Nothing of the text has run.
class SyntaxError : public UserError {
public:
    SyntaxError(SourcePosition position, std::string what, std::string hint = "", bool atEnd = false)
        : UserError(std::move(what), std::move(hint)), position(position), atEnd(atEnd) {}
    SourcePosition position;
    // The text stopped in the middle of something: a REPL asks for another line.
    bool atEnd;
};

// The statements of a script, in order. Throws SyntaxError.
NodeList parseScript(std::string_view text);

// One expression or query, as parseExpr and function requests give it.
NodeRef parseExpression(std::string_view text);

}  // namespace pelorus
