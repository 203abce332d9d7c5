// print, and what a script asks about the program.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "common/error.h"
#include "runtime/function/instance.h"
#include "runtime/value/print.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

static Value snippetKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    return Value::ofString(x.isText() ? std::string(x.text()) : display(x));
}

// print(X, X1...): each by itself.
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
    if (context.request->print) context.request->print(x.isText() ? std::string(x.text()) : display(x));
    return Value();
}

static Value versionKernel(Context&, Arguments) {
    // The first word is read by clients as numbers and compared with the releases that brought a feature.
    return Value::ofString("3.00.4 2025.11.11 LINUX_ABI x86_64");
}

// writeLog(X1, …): lines on the process's standard error, which a server's start keeps in its log.
static Value writeLogKernel(Context& context, Arguments arguments) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char time[32];
    std::strftime(time, sizeof time, "%Y.%m.%dT%H:%M:%S", &local);
    for (const Value& x : arguments) {
        const std::string line =
            fmt::format("{} {}: {}\n", time, context.request->userId, x.isText() ? std::string(x.text()) : display(x));
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
    std::fflush(stderr);
    return Value();
}

// The entry of a function as a reader sees it: each part under its own heading, what is not said left out.
static std::string helpText(const BuiltinFunction& f) {
    const FunctionDoc& doc = f.doc();
    std::string text = std::string(f.syntax()) + "\n\n" + std::string(doc.summary);
    auto add = [&](const char* heading, std::string_view part) {
        if (!part.empty()) text += "\n\n" + std::string(heading) + "\n" + std::string(part);
    };
    add("Parameters", doc.parameters);
    add("Units", doc.units);
    add("NULL", doc.nulls);
    add("Errors", doc.errors);
    add("Complexity", doc.complexity);
    add("Source", doc.source);
    add("Example", doc.example);
    return text;
}

static constexpr const char* kHelp = R"(help("mavg") tells about a function: help of any name that you can call.
select name from defs() where name like "%avg%" finds functions; the guide stands in docs/language.
objs() lists your variables, schema(t).colDefs the columns of a table; x ** y is the inner product, pow(x, y) a power.
In the console Tab completes, Ctrl-C stops what runs, exit or Ctrl-D leaves.)";

static Value helpKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    if (isOmitted(x)) {
        if (context.request->print) context.request->print(kHelp);
        return Value();
    }
    std::string name = x.isText() ? std::string(x.text()) : x.isFunction() ? std::string(x.function().name()) : "";
    if (name.empty()) throw UserError(0, "name must be the name of a function.", "help(\"sum\")");
    const BuiltinFunction& function = FunctionRegistry::instance().get(name);
    if (context.request->print) context.request->print(helpText(function));
    return Value();
}

void registerConsole(FunctionRegistry& registry) {
    registry.add(
        "print(X, X1...)", printKernel,
        {.summary = "Writes X to the client as the console shows it; a string as it is.", .nulls = "An empty line."});
    registry.add("snippet(X)", snippetKernel,
                 {.summary = "What print writes of X, as STRING.", .example = "snippet(1 2 3) -> [1,2,3]"});
    registry.add("writeLog(X1, X...)", writeLogKernel,
                 {.summary = "Writes each argument as a line of the process's log, after the time and the user."});
    registry.add(
        "help([name])", helpKernel,
        {.summary =
             "Prints what a built-in function does: syntax, parameters, NULL rule, errors, an example. Without a name "
             "it says how to find one.",
         .errors = "There is no such function; the nearest names are told."});
    registry.add("version()", versionKernel,
                 {.summary = "The release of the language and protocol that this program speaks."});
}

}  // namespace pelorus
