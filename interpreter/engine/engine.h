// Evaluates source text: the entry points of the interpreter.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "interpreter/parser/parser.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/vm.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

class QueryCache;

// Runs a script in a session. The text is parsed and compiled completely before any of it runs, up to each `go`. `show`
// receives the value of each top-level expression statement when it is known. Returns the value of the last statement
// when that is an expression, VOID otherwise. Throws SyntaxError when nothing ran, ScriptError for errors of a
// statement. One thread at a time may use a session. `cache`, when given, is the session's own, and keeps the reading
// of scripts that are a query.
Value evaluate(std::string_view script, Session& session, Context& context, const ShowValue& show = {},
               QueryCache* cache = nullptr);

// Returns the roles that the session's names have for the parser.
NameRoles rolesIn(const Session& session);

// Calls the function that an expression names or returns, as clients do: a name, a partial application, a lambda.
Value callByExpression(std::string_view expression, std::vector<Value> arguments, Session& session, Context& context);

// Evaluates CODE in the scope of the caller.
Value evaluateCode(const NodeRef& code, Context& context);
// Evaluates CODE in the scope of the caller; names of code that was parsed from a string are resolved as Code
// describes.
Value evaluateCode(const Code& code, Context& context);

// A top-level statement of a script. splitStatements splits a script for callers that continue after an error; a text
// that does not parse is cut at the line after the error, where the next statement seems to begin.
struct ScriptPart {
    std::string text;
    int32_t firstLine = 1;
};
std::vector<ScriptPart> splitStatements(std::string_view script);

}  // namespace pelorus
