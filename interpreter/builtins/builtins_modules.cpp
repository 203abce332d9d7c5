// loadModule, saveModule, clearCachedModules: SCP-05 and SCP-07. `use` is the interpreter's own.
#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/session/modules.h"
#include "runtime/function/file_access.h"

namespace pelorus {

namespace {

ModuleStore& storeOf(Context& context) {
    auto* store = context.service<ModuleStore>();
    if (!store) throw UserError("This process has no modules.");
    return *store;
}

std::string textOf(const Value& v, int argument, const char* what) {
    if (isOmitted(v) || v.isVoid()) return "";
    if (!v.isText()) throw UserError(argument, std::string(what) + " must be a string.");
    return std::string(v.text());
}

Value loadModuleKernel(Context& context, Arguments a) {
    storeOf(context).preload(textOf(a[0], 0, "name"), textOf(a[1], 1, "moduleDir"), userFiles(context),
                             *context.services);
    return Value();
}

Value saveModuleKernel(Context& context, Arguments a) {
    const bool overwrite = a[2].isScalar() && a[2].type() == Type::Bool && a[2].integer() == 1;
    storeOf(context).save(textOf(a[0], 0, "name"), textOf(a[1], 1, "moduleDir"), overwrite, userFiles(context),
                          *context.services);
    return Value();
}

Value uploadModuleKernel(Context& context, Arguments a) {
    const auto isSet = [](const Value& v) { return v.isScalar() && v.type() == Type::Bool && v.integer() == 1; };
    return Value::ofString(
        storeOf(context).upload(textOf(a[0], 0, "text"), isSet(a[1]), isSet(a[2]), userFiles(context)));
}

Value clearCachedModulesKernel(Context& context, Arguments) {
    storeOf(context).clear();
    return Value();
}

}  // namespace

void registerModuleBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Files, Effect::Writes);
    registry.add(
        "loadModule(name, [moduleDir])", loadModuleKernel,
        {.summary = "Makes a module's functions known to all sessions, by their qualified names.",
         .parameters = "moduleDir: the folder of the module, below which its name leads; the module folders unless "
                       "given",
         .errors = "There is no such module, or its text has an error."});
    registry.add("saveModule(name, [moduleDir], [overwrite=false])", saveModuleKernel,
                 {.summary = "Saves a module next to its source as a .dom file, which `use` finds without the source.",
                  .errors = "The .dom file exists and overwrite is false."});
    registry.add(
        "uploadModule(text, [overwrite=false], [encrypt=false])", uploadModuleKernel,
        {.summary = "Stores the text of a module in the folder of modules, and returns the path of the file.",
         .parameters = "text: begins with the line that names the module\nencrypt: stores a .dom file in place "
                       "of a .dos file",
         .errors = "The text names no module or does not parse, or the file exists and overwrite is false."});
    registry.add("clearCachedModules()", clearCachedModulesKernel,
                 {.summary = "Forgets loaded modules: the next `use` reads their files again."},
                 {.facet = Facet::Admin});
}

}  // namespace pelorus
