// loadPlugin: the names of functions that elsewhere come from a plug-in, and are built in here.
#include <algorithm>
#include <array>
#include <cctype>

#include "common/error.h"
#include "common/later_functions.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// Returns the name in "parquet", or in the path of its description: ".../plugins/parquet/PluginParquet.txt".
std::string pluginOf(std::string_view path) {
    if (const size_t slash = path.rfind('/'); slash != std::string_view::npos) path.remove_prefix(slash + 1);
    if (path.ends_with(".txt")) path.remove_suffix(4);
    std::string name(path);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.starts_with("plugin") && name.size() > 6 ? name.substr(6) : name;
}

Value loadPluginKernel(Context&, Arguments arguments) {
    if (!arguments[0].isString())
        throw UserError(0, "filePath must be a string, but it is " + typeString(arguments[0]) + ".");
    const std::string name = pluginOf(arguments[0].string());
    std::vector<std::string> functions;
    for (const std::string_view function : FunctionRegistry::instance().names()) {
        if (function.starts_with(name + "::")) functions.emplace_back(function);
    }
    if (name.empty() || functions.empty()) {
        throw UserError(0, "There is no plug-in " + std::string(arguments[0].string()) + ".",
                        "Those that are built in are parquet and odbc; others can't be loaded.");
    }
    std::sort(functions.begin(), functions.end());
    return Value::of(Vector::ofStrings(functions));
}

}  // namespace

void registerPlugins(FunctionRegistry& registry) {
    registry.add(
        "loadPlugin(filePath)", loadPluginKernel,
        {.summary = "Names of the functions of a plug-in. Those of parquet and odbc are built in, so that scripts "
                    "that load them first run as they are; no other is there.",
         .parameters = "filePath: the plug-in's name, or the path of its description",
         .errors = "No plug-in of that name is built in.",
         .example = "size(loadPlugin(\"parquet\")) > 0 -> true"},
        {.effect = Effect::Stable, .facet = Facet::Files});
}

}  // namespace pelorus
