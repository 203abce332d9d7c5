// Modules: files of functions under a name, found in the process's module folders.
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
    std::vector<Ref<FunctionCell>> cells;  // of recursive functions; emptied with the module, which breaks their cycles
};

using ModuleMap = std::unordered_map<std::string, Ref<Module>>;

// For whom code is compiled: code for a debugger stops at its statements, and never becomes machine code.
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

// Store that loads modules by name and keeps them until `clear`. A service; thread-safe.
class ModuleStore {
public:
    // A relative folder is looked up below home, the working folder and the program's folder, in this order.
    explicit ModuleStore(std::string moduleFolder = "modules", std::string home = "");

    // Returns the folders in which modules are looked for, the first one first. Their code runs as whoever uses it.
    std::vector<std::string> folders() const;
    // Throws UserError when there is no such file, when it does not parse, and when modules use each other in a cycle.
    Ref<Module> load(const std::string& name, const Services& services);
    // Likewise, but compiles the module and those that it uses for a debugger, and keeps them in `loaded` alone.
    // Modules that are only there as .dom files do not stop.
    Ref<Module> loadForDebugger(const std::string& name, const Services& services, ModuleMap& loaded);
    // Returns path and text of a module's .dos file. Throws UserError when there is none.
    struct Source {
        std::string path, text;
    };
    Source sourceOf(const std::string& name) const;
    void clear();
    // Loads a module from `folder`, one of `files`, the user's; empty: from the module folders. Prefers a .dom file.
    Ref<Module> loadFrom(const std::string& name, const std::string& folder, UserFiles& files,
                         const Services& services);
    // Makes a module's functions known to all sessions by their qualified names: code of whoever may run code as any
    // user. It takes the place of a module of that name.
    void preload(Ref<Module> module);
    Ref<Function> findPreloaded(std::string_view name) const;
    std::vector<std::string> preloadedNames() const;
    // Stores a module's text, which begins with its `module` line, as a file of the first module folder, and returns
    // its path. Asks for no right. Throws UserError when the text names no module, does not parse, or is there and may
    // not be replaced.
    std::string upload(const std::string& text, bool overwrite, bool saved);
    // Writes a .dom file next to the .dos file in the module folders or in `folder`, one of `files`. Throws UserError
    // when it exists and may not be replaced.
    void save(const std::string& name, const std::string& folder, bool overwrite, UserFiles& files,
              const Services& services);

private:
    enum class Prefer : uint8_t { Source, Saved };
    // Where modules are looked for, and in whose files.
    struct Place {
        std::vector<std::string> folders;
        UserFiles& files;
        std::string inCache;  // begins the keys of `loaded_`: one user's folder gives nothing to the uses of others
    };
    Place placeOf(const std::string& folder, UserFiles& files) const;
    static std::string find(const std::string& name, const Place& place, Prefer prefer);
    Ref<Module> loadFrom(const std::string& name, const Place& place, Prefer prefer, const Services& services);
    Ref<Module> loadInto(ModuleMap& loaded, const std::string& name, const Place& place, Prefer prefer,
                         const Services& services, CompiledFor compiledFor);

    const std::string moduleFolder_, home_;
    mutable RecursiveMutex mutex_;  // guards the members below; recursive, since a module loads those that it uses
    ModuleMap loaded_;              // by Place::inCache and name
    std::vector<Ref<Module>> preloaded_;
    std::vector<std::string> loading_;
};

}  // namespace pelorus
