// ModuleStore loads modules: files of functions under a name, found in the process's module folders.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/io/user_files.h"
#include "common/thread/mutex.h"
#include "interpreter/bytecode/closure.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"

namespace pelorus {

// The functions of one module, and the modules that it uses. Immutable once loaded; sessions share it.
class Module final : public Object {
public:
    explicit Module(std::string name) : name(std::move(name)) {}
    ~Module() override;

    Ref<Function> find(std::string_view function) const;

    const std::string name;  // a::b
    std::unordered_map<std::string, Ref<Function>> functions;
    std::vector<Ref<Module>> imports;
    // Cells of recursive functions; emptied with the module, which breaks their cycles.
    std::vector<Ref<FunctionCell>> cells;
};

using ModuleMap = std::unordered_map<std::string, Ref<Module>>;

// The purpose of compiled code: code for a debugger stops at its statements, and never becomes machine code.
enum class CompiledFor : uint8_t { Speed, Debugger };

// Finds the function `f` or `a::b::f` in a list of modules; null when none has it. Throws UserError when two have `f`.
Ref<Function> findInModules(const std::vector<Ref<Module>>& modules, std::string_view name);

// Compiles the definitions of a module's text; `origin` is shown with the position of errors in it.
Ref<Module> moduleOf(const NodeList& statements, const std::string& origin, std::vector<Ref<Module>> imports,
                     const Services& services, CompiledFor compiledFor = CompiledFor::Speed);

// Compiles the text of a module; `import` returns each module that it uses. Throws UserError with the position in
// `origin` when it does not parse.
Ref<Module> moduleOfText(const std::string& text, const std::string& origin,
                         const std::function<Ref<Module>(const std::string& name)>& import, const Services& services,
                         CompiledFor compiledFor = CompiledFor::Speed);

// The cache of loaded modules by name, which keeps them until `clear`. A service of the process; thread-safe.
class ModuleStore {
public:
    // A relative folder is looked up below home, the working folder and the program's folder, in this order.
    explicit ModuleStore(std::string moduleFolder = "modules", std::string home = "");

    // Returns the folders in which modules are searched, in this order. Their code runs with the rights of its caller.
    std::vector<std::string> folders() const;
    // Returns a module, and loads it if necessary. Throws UserError when there is no such file, when it does not parse,
    // and when modules use each other in a cycle.
    Ref<Module> load(const std::string& name, const Services& services);
    // Returns a module that is compiled for a debugger, with those that it uses, and caches them in `loaded` alone.
    // Modules that exist only as .dom files do not stop.
    Ref<Module> loadForDebugger(const std::string& name, const Services& services, ModuleMap& loaded);
    // Returns path and text of a module's .dos file. Throws UserError when there is none.
    struct Source {
        std::string path, text;
    };
    Source sourceOf(const std::string& name) const;
    void clear();
    // Loads a module from `folder` of the user's `files`, or from the module folders when it is empty. Prefers a .dom
    // file.
    Ref<Module> loadFrom(const std::string& name, const std::string& folder, UserFiles& files,
                         const Services& services);
    // Makes a module's functions known to all sessions by their qualified names, and replaces a module of that name.
    // REQUIRES: its author may run code as any user.
    void preload(Ref<Module> module);
    Ref<Function> findPreloaded(std::string_view name) const;
    std::vector<std::string> preloadedNames() const;
    // Stores a module's text, which begins with its `module` line, as a file of the first module folder, and returns
    // its path. Checks no right. Throws UserError when the text names no module, does not parse, or exists and may not
    // be replaced.
    std::string upload(const std::string& text, bool overwrite, bool saved);
    // Writes a .dom file next to the .dos file in the module folders or in `folder` of `files`. Throws UserError when
    // it exists and may not be replaced.
    void save(const std::string& name, const std::string& folder, bool overwrite, UserFiles& files,
              const Services& services);

private:
    enum class Prefer : uint8_t { Source, Saved };
    // The folders in which modules are searched, and the files that contain them.
    struct Place {
        std::vector<std::string> folders;
        UserFiles& files;
        std::string inCache;  // prefix of the keys of `loaded_`: modules of one user's folder are not used for others
    };
    Place placeOf(const std::string& folder, UserFiles& files) const;
    static std::string find(const std::string& name, const Place& place, Prefer prefer);
    Ref<Module> loadFrom(const std::string& name, const Place& place, Prefer prefer, const Services& services);
    Ref<Module> loadInto(ModuleMap& loaded, const std::string& name, const Place& place, Prefer prefer,
                         const Services& services, CompiledFor compiledFor);

    const std::string moduleFolder_, home_;
    mutable RecursiveMutex mutex_;  // guards the members below; recursive, since a module loads those that it uses
    ModuleMap loaded_;              // modules by Place::inCache and name
    std::vector<Ref<Module>> preloaded_;
    std::vector<std::string> loading_;
};

}  // namespace pelorus
