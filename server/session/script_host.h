// ScriptHost is the interface through which the server uses the language: it makes sessions that run scripts and apply
// functions. EngineHost implements it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "interpreter/debug/debugged_sources.h"
#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/value/value.h"

namespace pelorus {

class DebugSession;

// The variables and definitions of one client. One thread at a time may use it. All calls throw Error, whose message is
// meant for the client. A request outlives the call that it is passed to.
class ScriptSession {
public:
    virtual ~ScriptSession() = default;
    // Runs a script and returns the value of its last expression; VOID when there is none.
    virtual Value run(Request& request, std::string_view script) = 0;
    // Runs one select, exec or with … select, and returns its result. Throws UserError before anything has run when the
    // query is anything else, or may change anything; functions that turn out to change something are refused when they
    // are called.
    virtual Value runReading(Request& request, std::string_view query);
    // Applies the function that `expression` names or evaluates to.
    virtual Value call(Request& request, std::string_view expression, std::vector<Value> arguments) = 0;
    // Applies a function.
    virtual Value apply(Request& request, const Function& function, std::vector<Value> arguments) = 0;
    // Sets whether later scripts ignore the case of functions' names, as the dialects of Oracle and MySQL do.
    virtual void ignoreCaseOfFunctions(bool /*ignores*/) {}
    // Runs a script under a debugger, which outlives the call.
    virtual void debug(Request& request, std::string_view script, DebugSession& debugger);
    // Returns the modules that a script uses. Throws SyntaxError when it does not parse.
    virtual std::vector<DebuggedSource> debuggedSources(std::string_view /*script*/) const { return {}; }
    virtual void setVariable(const std::string& name, Value value) = 0;
    // Releases the resources that the calling thread holds beyond the session's values. Called before a long wait.
    virtual void rest() {}
    // Removes all variables.
    virtual void clear() = 0;
};

inline void ScriptSession::debug(Request&, std::string_view, DebugSession&) {
    throw UserError("Scripts are not debugged here.");
}

inline Value ScriptSession::runReading(Request&, std::string_view) {
    throw UserError("Queries that only read are not answered here.");
}

// The factory of sessions and principals. Thread-safe; it outlives its sessions.
class ScriptHost {
public:
    virtual ~ScriptHost() = default;
    virtual std::unique_ptr<ScriptSession> newSession() = 0;
    // Returns a user with the rights of this moment. Throws UserError when there is no such user.
    virtual std::shared_ptr<const Principal> principalOf(const std::string& user) = 0;
};

}  // namespace pelorus
