// print, and what a script asks about the program.
#include "runtime/format/print.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

static Value printKernel(Context& context, Arguments arguments) {
    const Value& x = arguments[0];
    if (context.request->print) context.request->print(x.isText() ? std::string(x.text()) : display(x));
    return Value();
}

static Value versionKernel(Context&, Arguments) {
    // The first word is read by clients as numbers and compared with the releases that brought a feature.
    return Value::ofString("3.00.4 2025.11.11 LINUX_ABI x86_64");
}

void registerConsole(FunctionRegistry& registry) {
    registry.add(
        "print(X)", printKernel,
        {.summary = "Writes X to the client as the console shows it; a string as it is.", .nulls = "An empty line."});
    registry.add("version()", versionKernel,
                 {.summary = "The release of the language and protocol that this program speaks."});
}

}  // namespace pelorus
