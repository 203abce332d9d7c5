// ScriptBench is a session with the functions of the language, for tests of code before it runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/print.h"
#include "stdlib/register_builtins.h"

namespace pelorus::testing {

class ScriptBench {
public:
    ScriptBench() {
        static const bool isRegistered = [] {
            registerStandardLibrary(FunctionRegistry::instance());
            registerInterpreterBuiltins(FunctionRegistry::instance());
            return true;
        }();
        (void)isRegistered;
        addSharedObjects(services);
        session = std::make_unique<Session>(services);
        request.print = [](std::string_view) {};
        context.session = session.get();
        context.scope = session.get();
    }
    ScriptBench(const ScriptBench&) = delete;
    ScriptBench& operator=(const ScriptBench&) = delete;

    Value run(std::string_view script) {
        Context outside(services, request);
        outside.session = session.get();
        return evaluate(script, *session, outside);
    }
    std::string shown(std::string_view script) { return display(run(script)); }
    // Parses source text as code that sees the session's names.
    NodeRef code(std::string_view string) { return parseExpression(string, rolesIn(*session)); }

    Services services;
    Request request{Principal::owner()};
    std::unique_ptr<Session> session;
    Context context{services, request};
};

}  // namespace pelorus::testing
