// Runs bytecode: the entry points of the machine. Calls between user functions use the machine's value stack, of which
// each thread has one.
#pragma once

#include <functional>

#include "common/error.h"
#include "interpreter/bytecode/closure.h"
#include "interpreter/session/session.h"
#include "runtime/function/context.h"

namespace pelorus {

// The error that leaves a script: the message preceded by the failing statement, as clients see it, and the position.
class ScriptError : public UserError {
public:
    ScriptError(std::string text, std::string message, std::string hint, SourcePosition position, bool thrownByUser)
        : UserError(std::move(text), std::move(hint)),
          message(std::move(message)),
          position(position),
          thrownByUser(thrownByUser) {}

    std::string message;                 // without statements
    SourcePosition position;             // innermost in the submitted text
    bool thrownByUser;                   // the script threw it by `throw`
    std::string modulePlace;             // "path:line" while the error is inside a module
    std::vector<std::string> callStack;  // user functions, innermost first
};

// Receives the output of a running script: the value of each top-level expression statement.
using ShowValue = std::function<void(const Value&)>;

// Runs top-level code of a session. Returns the value of its last statement when that is an expression, VOID otherwise.
Value runScript(const CompiledFunction& script, Session& session, Context& context, const ShowValue& show);

// Calls any function value with these arguments, which it may change (see Function::call).
Value callFunction(const Function& function, Context& context, std::span<Value> arguments);

}  // namespace pelorus
