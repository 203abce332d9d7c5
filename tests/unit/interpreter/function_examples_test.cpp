// Every example of the functions' documentation is run, and must show what it says.
#include <catch2/catch.hpp>

#include "interpreter/builtins.h"
#include "interpreter/engine.h"
#include "runtime/format/print.h"
#include "runtime/function_registry.h"
#include "stdlib/register_builtins.h"

using namespace pelorus;

namespace {

void registerOnce() {
    static bool done = [] {
        FunctionRegistry& registry = FunctionRegistry::instance();
        registerStandardLibrary(registry);
        registerInterpreterBuiltins(registry);
        return true;
    }();
    (void)done;
}

}  // namespace

TEST_CASE("examples of functions show what their documentation says") {
    registerOnce();
    for (std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& function = FunctionRegistry::instance().get(name);
        std::string_view examples = function.doc().example;
        while (!examples.empty()) {
            size_t end = examples.find('\n');
            std::string line(examples.substr(0, end));
            examples = end == std::string_view::npos ? std::string_view() : examples.substr(end + 1);
            size_t arrow = line.rfind(" -> ");
            if (arrow == std::string::npos) continue;
            // An alias may share the example of the function it stands for.
            INFO(name << ": " << line);
            Services services;
            Request request;
            Context context(services, request);
            Session session(services);
            try {
                Value value = evaluate(line.substr(0, arrow), session, context);
                CHECK(display(value) == line.substr(arrow + 4));
            } catch (const std::exception& error) {
                FAIL_CHECK(error.what());
            }
        }
    }
}
