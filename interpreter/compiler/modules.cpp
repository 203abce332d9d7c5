#include "interpreter/session/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "common/error.h"
#include "common/io/file.h"
#include "common/string/trim.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/parser/parser.h"
#include "runtime/code/statement.h"

namespace pelorus {

namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

constexpr std::string_view kSavedHead = "PELORUS MODULE 1\n";

bool endsWithName(std::string_view name, const Module& module, std::string_view& function) {
    if (name.size() <= module.name.size() + 2 || !name.starts_with(module.name)) return false;
    std::string_view rest = name.substr(module.name.size());
    if (!rest.starts_with("::")) return false;
    function = rest.substr(2);
    return function.find("::") == std::string_view::npos;
}

std::string_view textOf(const NodeRef& directive) {
    return static_cast<const Directive&>(*directive).text;
}

// Returns the source text in a module's file, .dos or .dom.
std::string sourceIn(UserFiles& files, const std::string& path) {
    std::string text = readWholeFile(files, path);
    if (!path.ends_with(".dom")) return text;
    if (!std::string_view(text).starts_with(kSavedHead)) {
        throw UserError(fmt::format("{} is no module that was saved here.", path), "Load the .dos file.");
    }
    return text.substr(kSavedHead.size());
}

}  // namespace

Module::~Module() {
    for (Ref<FunctionCell>& cell : cells) cell->target = Ref<Function>();
}

Ref<Function> Module::find(std::string_view function) const {
    auto it = functions.find(std::string(function));
    return it == functions.end() ? Ref<Function>() : it->second;
}

Ref<Function> findInModules(const std::vector<Ref<Module>>& modules, std::string_view name) {
    if (name.find("::") != std::string_view::npos) {
        for (const Ref<Module>& module : modules) {
            std::string_view function;
            if (endsWithName(name, *module, function)) return module->find(function);
        }
        return Ref<Function>();
    }
    Ref<Function> found;
    const Module* first = nullptr;
    for (const Ref<Module>& module : modules) {
        Ref<Function> f = module->find(name);
        if (!f) continue;
        if (first) {
            throw UserError(fmt::format("Modules [{}] and [{}] contain function [{}]. Please use module name to "
                                        "qualify the function.",
                                        first->name, module->name, name),
                            fmt::format("Write {}::{}.", first->name, name));
        }
        found = std::move(f);
        first = module.get();
    }
    return found;
}

Ref<Module> moduleOf(const NodeList& statements, const std::string& origin, std::vector<Ref<Module>> imports,
                     const Services& services, CompiledFor compiledFor) {
    if (statements.empty() || statements[0]->kind != NodeKind::Module) {
        throw UserError(fmt::format("{} must begin with a line `module name`.", origin));
    }
    auto module = makeRef<Module>(std::string(trimEnd(textOf(statements[0]), kSpaces)));
    module->imports = std::move(imports);
    for (const NodeRef& node : statements) {
        // Other statements of a module's file are ignored.
        if (node->kind != NodeKind::FunctionDefinition) continue;
        compileModuleFunction(static_cast<const FunctionDefinition&>(*node).function, origin, *module, services,
                              compiledFor);
    }
    return module;
}

Ref<Module> moduleOfText(const std::string& text, const std::string& origin,
                         const std::function<Ref<Module>(const std::string& name)>& import, const Services& services,
                         CompiledFor compiledFor) {
    try {
        std::vector<Ref<Module>> imports;
        for (const NodeRef& node : parseScript(text)) {
            if (node->kind == NodeKind::Use) imports.push_back(import(std::string(trimEnd(textOf(node), kSpaces))));
        }
        NameRoles roles = [&](std::string_view function) {
            return std::any_of(imports.begin(), imports.end(), [&](const auto& m) { return bool(m->find(function)); })
                       ? NameRole::Function
                       : NameRole::Unknown;
        };
        return moduleOf(parseScript(text, roles), origin, std::move(imports), services, compiledFor);
    } catch (const SyntaxError& e) {
        throw UserError(fmt::format("{}:{}:{}: {}", origin, e.position.line, e.position.column, e.what()), e.hint());
    }
}

ModuleStore::ModuleStore(std::string moduleFolder, std::string home)
    : moduleFolder_(std::move(moduleFolder)), home_(std::move(home)) {}

std::vector<std::string> ModuleStore::folders() const {
    if (moduleFolder_.starts_with('/')) return {moduleFolder_};
    std::vector<std::string> all;
    if (!home_.empty()) all.push_back(joinPath(home_, moduleFolder_));
    all.push_back(absolutePath(moduleFolder_));
    all.push_back(joinPath(folderOfProgram(), moduleFolder_));
    return all;
}

// The module folders are the server's choice; a folder that a user names is one of the user's files.
ModuleStore::Place ModuleStore::placeOf(const std::string& folder, UserFiles& files) const {
    if (folder.empty()) return {folders(), UserFiles::machine(), ""};
    const std::string own = files.resolve(folder);
    return {{own}, files, own + '/'};
}

// Returns the path of a module's file without its extension. Each word is a folder or the file: a name cannot lead out
// of the folder of modules.
static std::string fileNamed(std::string_view name, std::string_view whatIsWrong) {
    const auto isWord = [](std::string_view word) {
        return !word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) &&
               std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    };
    std::string file;
    for (std::string_view rest = name; !rest.empty() || file.empty();) {
        const size_t end = rest.find("::");
        if (!isWord(rest.substr(0, end))) throw UserError(std::string(whatIsWrong));
        file += (file.empty() ? "" : "/") + std::string(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
    }
    return file;
}

std::string ModuleStore::find(const std::string& name, const Place& place, Prefer prefer) {
    const std::string file = fileNamed(name, fmt::format("'{}' is no name of a module, as in tools::prices.", name));
    const bool sourceFirst = prefer == Prefer::Source;
    std::string tried;
    for (const std::string& folder : place.folders) {
        tried += tried.empty() ? folder : ", " + folder;
        for (const char* extension : {sourceFirst ? ".dos" : ".dom", sourceFirst ? ".dom" : ".dos"}) {
            std::string path = joinPath(folder, file + extension);
            if (place.files.exists(path)) return path;
        }
    }
    throw UserError(fmt::format("There is no module {}: looked for {}.dos in {}.", name, file, tried),
                    "The setting moduleDir, or --module-dir, names the folder of modules.");
}

Ref<Module> ModuleStore::loadFrom(const std::string& name, const Place& place, Prefer prefer,
                                  const Services& services) {
    const OptionalLock lock(&mutex_);
    return loadInto(loaded_, name, place, prefer, services, CompiledFor::Speed);
}

Ref<Module> ModuleStore::loadInto(ModuleMap& loaded, const std::string& name, const Place& place, Prefer prefer,
                                  const Services& services, CompiledFor compiledFor) {
    const OptionalLock lock(&mutex_);
    auto known = loaded.find(place.inCache + name);
    if (known != loaded.end()) return known->second;
    if (std::find(loading_.begin(), loading_.end(), name) != loading_.end()) {
        throw UserError(fmt::format("The module {} uses itself by way of {}.", name, loading_.back()),
                        "Move what both need into a third module.");
    }
    const std::string path = find(name, place, prefer);
    const std::string text = sourceIn(place.files, path);
    loading_.push_back(name);
    struct Done {
        std::vector<std::string>& loading;
        ~Done() { loading.pop_back(); }
    } done{loading_};
    Ref<Module> module = moduleOfText(
        text, path,
        [&](const std::string& used) { return loadInto(loaded, used, place, prefer, services, compiledFor); }, services,
        path.ends_with(".dom") ? CompiledFor::Speed : compiledFor);
    if (module->name != name) {
        throw UserError(fmt::format("{} declares the module {}, but is found as {}.", path, module->name, name));
    }
    loaded[place.inCache + name] = module;
    return module;
}

Ref<Module> ModuleStore::load(const std::string& name, const Services& services) {
    return loadFrom(name, {folders(), UserFiles::machine(), ""}, Prefer::Source, services);
}

Ref<Module> ModuleStore::loadForDebugger(const std::string& name, const Services& services, ModuleMap& loaded) {
    return loadInto(loaded, name, {folders(), UserFiles::machine(), ""}, Prefer::Source, services,
                    CompiledFor::Debugger);
}

ModuleStore::Source ModuleStore::sourceOf(const std::string& name) const {
    const Place place{folders(), UserFiles::machine(), ""};
    const std::string path = find(name, place, Prefer::Source);
    if (!path.ends_with(".dos")) throw UserError(fmt::format("The module {} is there without its source.", name));
    return {path, sourceIn(place.files, path)};
}

void ModuleStore::clear() {
    const OptionalLock lock(&mutex_);
    loaded_.clear();
}

Ref<Module> ModuleStore::loadFrom(const std::string& name, const std::string& folder, UserFiles& files,
                                  const Services& services) {
    return loadFrom(name, placeOf(folder, files), Prefer::Saved, services);
}

void ModuleStore::preload(Ref<Module> module) {
    const OptionalLock lock(&mutex_);
    std::erase_if(preloaded_, [&](const Ref<Module>& known) { return known->name == module->name; });
    preloaded_.push_back(std::move(module));
}

Ref<Function> ModuleStore::findPreloaded(std::string_view name) const {
    if (name.find("::") == std::string_view::npos) return Ref<Function>();
    const OptionalLock lock(&mutex_);
    return findInModules(preloaded_, name);
}

std::vector<std::string> ModuleStore::preloadedNames() const {
    const OptionalLock lock(&mutex_);
    std::vector<std::string> names;
    for (const Ref<Module>& module : preloaded_) names.push_back(module->name);
    return names;
}

void ModuleStore::save(const std::string& name, const std::string& folder, bool overwrite, UserFiles& files,
                       const Services& services) {
    const Place from = placeOf(folder, files);
    UserFiles& own = from.files;
    const std::string source = find(name, from, Prefer::Source);
    if (!source.ends_with(".dos")) throw UserError(fmt::format("The module {} has no .dos file to save.", name));
    loadFrom(name, from, Prefer::Source, services);  // a file that does not load is not saved
    const std::string target = source.substr(0, source.size() - 4) + ".dom";
    if (!overwrite && own.exists(target)) {
        throw UserError(fmt::format("{} exists already.", target), "Give overwrite=true to replace it.");
    }
    replaceFile(own, target, std::string(kSavedHead) + sourceIn(own, source));
}

std::string ModuleStore::upload(const std::string& text, bool overwrite, bool saved) {
    UserFiles& files = UserFiles::machine();
    std::istringstream lines(text);
    std::string name;
    for (std::string line; name.empty() && std::getline(lines, line);) {
        line = std::string(trimEnd(line, kSpaces));
        if (line.empty() || line.starts_with("//")) continue;
        if (!line.starts_with("module ")) break;
        name = std::string(trimEnd(line.substr(7, line.find_first_of(";/", 7) - 7), kSpaces));
    }
    const std::string file = fileNamed(name, "The text of a module begins with its name, as in: module tools::prices");
    parseScript(text);  // one that does not parse is not stored
    const std::string path = joinPath(folders().front(), file + (saved ? ".dom" : ".dos"));
    if (!overwrite && files.exists(path)) {
        throw UserError(fmt::format("{} exists already.", path), "Give overwrite=true to replace it.");
    }
    files.makeFolder(folderOf(path));
    replaceFile(files, path, saved ? std::string(kSavedHead) + text : text);
    return path;
}

}  // namespace pelorus
