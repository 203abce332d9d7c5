// loadModule, loadModuleFromScript, saveModule, clearCachedModules, and lists of modules and plug-ins.
// `use` is the interpreter's own.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/session/modules.h"
#include "interpreter/session/session.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

ModuleStore& storeOf(Context& context) {
    auto* store = context.service<ModuleStore>();
    if (!store) throw UserError("This process has no modules.");
    return *store;
}

std::string textOf(const Value& v, int argument, const char* what) {
    if (isOmitted(v) || v.isVoid()) return "";
    if (!v.isString()) throw UserError(argument, std::string(what) + " must be a string.");
    return std::string(v.string());
}

// A module that the owner of the server loads is known to all sessions; one of another user to that user's session
// only.
Value loadModuleKernel(Context& context, Arguments a) {
    Ref<Module> module = storeOf(context).loadFrom(textOf(a[0], 0, "name"), textOf(a[1], 1, "moduleDir"),
                                                   userFiles(context), *context.services);
    if (context.principal().powers().everything) {
        storeOf(context).preload(std::move(module));
    } else {
        sessionOf(context).defineModule(std::move(module));
    }
    return Value();
}

Value saveModuleKernel(Context& context, Arguments a) {
    const bool overwrite = a[2].isScalar() && a[2].type() == Type::Bool && a[2].integer() == 1;
    const std::string folder = textOf(a[1], 1, "moduleDir");
    if (folder.empty()) context.principal().require(Right::WriteModules);
    storeOf(context).save(textOf(a[0], 0, "name"), folder, overwrite, userFiles(context), *context.services);
    return Value();
}

Value uploadModuleKernel(Context& context, Arguments a) {
    const auto isSet = [](const Value& v) { return v.isScalar() && v.type() == Type::Bool && v.integer() == 1; };
    context.principal().require(Right::WriteModules);
    return Value::ofString(storeOf(context).upload(textOf(a[0], 0, "text"), isSet(a[1]), isSet(a[2])));
}

std::vector<std::string> stringsOf(const Value& v, int argument, const char* name) {
    if (v.isString()) return {std::string(v.string())};
    if (!v.isTypedVector() || !isLiteral(v.type()))
        throw UserError(argument, fmt::format("{} must be a string or a vector of strings.", name));
    std::vector<std::string> strings;
    for (int64_t i = 0; i < v.size(); ++i) strings.emplace_back(v.at(i).string());
    return strings;
}

// The modules of one call, whose texts may use each other in any order.
class GivenModules {
public:
    GivenModules(const std::vector<std::string>& names, std::vector<std::string> texts, const Session& session)
        : session_(session) {
        for (size_t i = 0; i < names.size(); ++i) {
            if (!texts_.emplace(names[i], std::move(texts[i])).second)
                throw UserError(0, fmt::format("moduleNamespace names the module {} twice.", names[i]));
        }
    }

    Ref<Module> load(const std::string& name) {
        if (const auto known = loaded_.find(name); known != loaded_.end()) return known->second;
        const auto text = texts_.find(name);
        if (text == texts_.end()) return elsewhere(name);
        if (!loading_.insert(name).second)
            throw UserError(1, fmt::format("The module {} uses itself.", name),
                            "Move what both need into a third module.");
        Ref<Module> module = moduleOfText(
            text->second, fmt::format("moduleScript of {}", name),
            [this](const std::string& used) { return load(used); }, session_.services());
        if (module->name != name)
            throw UserError(1, fmt::format("The script of {} declares the module {}.", name, module->name));
        return loaded_[name] = module;
    }

private:
    Ref<Module> elsewhere(const std::string& name) {
        if (Ref<Module> defined = session_.findDefinedModule(name)) return defined;
        auto* store = session_.services().find<ModuleStore>();
        if (!store) throw UserError(1, fmt::format("There is no module {}.", name));
        return store->load(name, session_.services());
    }

    const Session& session_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, Ref<Module>> loaded_;
    std::set<std::string> loading_;
};

// Defines all of the modules, or none when one does not load.
Value loadModuleFromScriptKernel(Context& context, Arguments a) {
    Session& session = sessionOf(context);
    const std::vector<std::string> names = stringsOf(a[0], 0, "moduleNamespace");
    std::vector<std::string> texts = stringsOf(a[1], 1, "moduleScript");
    if (names.size() != texts.size())
        throw UserError(1, fmt::format("moduleScript must have one text per name, but there are {} texts and {} names.",
                                       texts.size(), names.size()));
    const bool isReloaded = a[2].isScalar() && a[2].type() == Type::Bool && a[2].integer() == 1;
    GivenModules given(names, std::move(texts), session);
    std::vector<Ref<Module>> modules;
    for (const std::string& name : names) {
        Ref<Module> known = isReloaded ? Ref<Module>() : session.findDefinedModule(name);
        modules.push_back(known ? known : given.load(name));
    }
    for (Ref<Module>& module : modules) session.defineModule(std::move(module));
    return Value();
}

Value loadedModulesKernel(Context& context, Arguments) {
    std::set<std::string> found;
    for (const Ref<Module>& module : sessionOf(context).modules()) found.insert(module->name);
    if (auto* store = context.service<ModuleStore>()) {
        for (std::string& name : store->preloadedNames()) found.insert(std::move(name));
    }
    const std::vector<std::string> names(found.begin(), found.end());
    std::vector<Value> columns = {Value::of(Vector::ofStrings(names)),
                                  Value::of(Vector::ofStrings(std::vector<std::string>(names.size()))),
                                  Value::of(Vector::of(Type::Bool, std::vector<int8_t>(names.size(), 1)))};
    return Value::of(Ref<Table>(
        makeRef<MemoryTable>(std::vector<std::string>{"moduleName", "moduleVersion", "isFree"}, std::move(columns))));
}

Value loadedPluginsKernel(Context&, Arguments) {
    return Value::of(Ref<Table>(MemoryTable::empty(
        {{"plugin", Type::String}, {"version", Type::String}, {"user", Type::String}, {"time", Type::Timestamp}})));
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
        {.summary =
             "Makes a module's functions known by their qualified names: to all sessions when admin calls it, to "
             "the session of anybody else.",
         .parameters = "moduleDir: the folder of the module, below which its name leads; the module folders unless "
                       "given",
         .errors = "There is no such module, or its text has an error.",
         .example = "loadModule(\"bars\"); bars::mid(99.5, 100.5)"});
    registry.add(
        "loadModuleFromScript(moduleNamespace, moduleScript, [reload=false])", loadModuleFromScriptKernel,
        {.summary = "Makes the functions of modules, given as text, known to the session: by qualified names "
                    "and, as after `use`, by their own.",
         .parameters = "moduleNamespace: the names of the modules, which may use each other in any "
                       "order\nmoduleScript: their texts, each of which begins with its `module` line\nreload: "
                       "replaces modules that an earlier call has loaded",
         .errors = "A text does not parse or declares another name, modules use each other in a circle, or "
                   "one that they use is not there: then none is loaded.",
         .example = "loadModuleFromScript(\"m\", \"module m\\n def twice(x){ return 2 * x }\"); "
                    "funcByName(\"m::twice\")(4) -> 8"},
        {.facet = Facet::Public});
    registry.add("getLoadedModules()", loadedModulesKernel,
                 {.summary = "The modules that the session has in use, and those of all sessions, as a table: "
                             "moduleName, moduleVersion (empty: modules have none), isFree (true).",
                  .example = "getLoadedModules().columnNames() -> [\"moduleName\",\"moduleVersion\",\"isFree\"]"},
                 {.effect = Effect::Stable, .facet = Facet::Public});
    registry.add("getLoadedPlugins()", loadedPluginsKernel,
                 {.summary = "The plug-ins that are loaded. This version has none: the table is empty.",
                  .example = "getLoadedPlugins().rows() -> 0"},
                 {.effect = Effect::Stable, .facet = Facet::Public});
    registry.add("saveModule(name, [moduleDir], [overwrite=false])", saveModuleKernel,
                 {.summary = "Saves a module next to its source as a .dom file, which `use` finds without the source.",
                  .parameters = "name: the name of a module, with :: between its folders\n"
                                "moduleDir: the folder of the modules; that of the process when omitted\n"
                                "overwrite: true replaces a .dom file that is there",
                  .errors = "The .dom file exists and overwrite is false; without moduleDir, the user has no right "
                            "MODULE_WRITE.",
                  .example = "saveModule(\"bars\")"});
    registry.add(
        "uploadModule(text, [overwrite=false], [encrypt=false])", uploadModuleKernel,
        {.summary = "Stores the text of a module in the folder of modules, and returns the path of the file.",
         .parameters = "text: begins with the line that names the module\nencrypt: stores a .dom file in place "
                       "of a .dos file",
         .errors = "The text names no module or does not parse, or the file exists and overwrite is false; the user "
                   "has no right MODULE_WRITE.",
         .example = "uploadModule(\"module bars\\n def mid(bid, ask) { return (bid + ask) / 2 }\")"});
    registry.add("clearCachedModules()", clearCachedModulesKernel,
                 {.summary = "Forgets loaded modules: the next `use` reads their files again.",
                  .example = "clearCachedModules()"},
                 {.facet = Facet::Admin});
}

}  // namespace pelorus
