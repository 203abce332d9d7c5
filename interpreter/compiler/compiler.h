// Compiles code to bytecode: names become slots, functions are bound, elementwise trees become regions, queries become
// calls of the built-in executeQuery.
#pragma once

#include <string_view>
#include <unordered_map>

#include "interpreter/bytecode/compiled_function.h"
#include "interpreter/session/modules.h"
#include "interpreter/session/session.h"

namespace pelorus {

// Compiles the statements of a script, or a part of one between two `go`. Functions that it defines are known to the
// code after them. Throws SyntaxError, with the position, for names that are not defined.
Ref<CompiledFunction> compileScript(const NodeList& statements, Session& session);

// Compiles an expression whose names are parameters, functions, or found in `scope` at that time (their values are
// captured then, as a lambda captures them). For eval and the expressions of queries.
Ref<Closure> compileExpression(const NodeRef& expression, const std::vector<std::string>& parameters,
                               const Scope* scope, const Services& services);

// Compiles a function that was sent by another process: `known` are the functions that came with it.
Ref<CompiledFunction> compileFunction(const FunctionBody& body, const std::vector<std::string>& captures,
                                      const std::unordered_map<std::string, Ref<Function>>& known,
                                      const Services& services);

// Adds a function to the module that defines it. It sees the module's functions before it, then those of the modules
// that it uses, then built-in ones.
void compileModuleFunction(const FunctionBody& body, const std::string& origin, Module& module,
                           const Services& services, CompiledFor compiledFor = CompiledFor::Speed);

}  // namespace pelorus
