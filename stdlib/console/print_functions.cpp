// print, and functions that describe the program.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "common/error.h"
#include "runtime/function/instance.h"
#include "runtime/function/principal.h"
#include "runtime/value/print.h"
#include "stdlib/console/help.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

static Value snippetKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    return Value::ofString(x.isString() ? std::string(x.string()) : display(x));
}

// print(X, X1...): prints each value separately.
static Value printKernel(Context& context, Arguments arguments) {
    if (arguments.size() > 1) {
        for (size_t i = 0; i < arguments.size(); ++i) printKernel(context, arguments.subspan(i, 1));
        return Value();
    }
    Value x = arguments[0];
    // An instance prints as its method str says.
    Ref<Function> str = isInstance(x) ? x.as<Instance>()->type().method("str") : Ref<Function>();
    if (str) {
        std::vector<Value> self{x};
        x = str->call(context, self);
    }
    if (context.request->print) context.request->print(x.isString() ? std::string(x.string()) : display(x));
    return Value();
}

static Value versionKernel(Context&, Arguments) {
    // The first word is read by clients as numbers and compared with the releases that brought a feature.
    return Value::ofString("3.00.5 2025.11.11 LINUX_ABI x86_64");
}

// writeLog(X1, …): lines on the process's standard error, which a server's start keeps in its log.
static Value writeLogKernel(Context& context, Arguments arguments) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char time[32];
    std::strftime(time, sizeof time, "%Y.%m.%dT%H:%M:%S", &local);
    for (const Value& x : arguments) {
        const std::string line = fmt::format("{} {}: {}\n", time, context.principal().user(),
                                             x.isString() ? std::string(x.string()) : display(x));
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
    std::fflush(stderr);
    return Value();
}

void registerConsole(FunctionRegistry& registry) {
    registry.add("print(X, X1...)", printKernel,
                 {.summary = "Writes X to the client as the console shows it; a string as it is.",
                  .parameters = "X: any value\n"
                                "X1: more values, each on lines of its own",
                  .nulls = "An empty line.",
                  .example = "print(\"rows:\", 1 2 3)"});
    registry.add("snippet(X)", snippetKernel,
                 {.summary = "What print writes of X, as STRING.", .example = "snippet(1 2 3) -> [1,2,3]"});
    registry.add("writeLog(X1, X...)", writeLogKernel,
                 {.summary = "Writes each argument as a line of the process's log, after the time and the user.",
                  .parameters = "X1: any value, a string as it is\n"
                                "X: more of them",
                  .example = "writeLog(\"import of 2024.01.02 begins\")"});
    registerHelp(registry);
    registry.add(
        "version()", versionKernel,
        {.summary = "The release of the language and protocol that this program speaks.", .example = "version()"},
        {.facet = Facet::Open});
}

}  // namespace pelorus
