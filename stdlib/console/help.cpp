#include "stdlib/console/help.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/registry/name_advice.h"
#include "stdlib/console/help_text.h"

namespace pelorus {

// A name may be that of a statement, a function and a theme at once: help is shown for all of them.
static std::string helpOf(std::string_view name) {
    std::string string;
    auto add = [&](const std::string& part) { string += (string.empty() || part.empty() ? "" : "\n\n\n") + part; };
    if (const HelpTopic* topic = helpTopic(name)) add(helpOfTopic(*topic));
    if (const BuiltinFunction* function = FunctionRegistry::instance().find(name)) add(helpOfFunction(*function));
    if (string.empty()) add(helpOfOperator(name));
    add(helpOfTheme(name));
    if (string.empty()) add(helpOfType(name));
    if (!string.empty()) return string;
    // SELECT, Avg: letter case distinguishes nothing here.
    std::string lower(name);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (const HelpTopic* topic = helpTopic(lower)) return helpOfTopic(*topic);
    const BuiltinFunction* function = builtinOfAnyCase(name);
    return function ? helpOfFunction(*function) : std::string();
}

static Value helpKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    if (isOmitted(x)) {
        if (context.request->print) context.request->print(helpOverview());
        return Value();
    }
    const std::string name = x.isString()     ? std::string(x.string())
                             : x.isFunction() ? std::string(x.function().name())
                                              : std::string();
    if (name.empty())
        throw UserError(0, "name must be the name of a function, a statement or a type.", "help(\"sum\")");
    const std::string string = helpOf(name);
    if (string.empty()) throw UserError(0, fmt::format("There is no help for {}.", name), helpAdvice(name));
    if (context.request->print) context.request->print(string);
    return Value();
}

void registerHelp(FunctionRegistry& registry) {
    registry.add("help([name])", helpKernel,
                 {.summary = "Prints what a function, statement, operator or type does, with an example; of a theme "
                             "which functions it has. Without a name it lists the themes.",
                  .errors = "There is nothing of that name; the nearest names are told.",
                  .example = "help(\"mavg\")\n"
                             "help(\"strings\")"});
}

}  // namespace pelorus
