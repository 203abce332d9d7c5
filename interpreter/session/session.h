// Session holds the variables and functions of one user. One request at a time uses it; functions taken from it may run
// anywhere.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "interpreter/session/function_cells.h"
#include "interpreter/session/modules.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/context.h"
#include "runtime/memory/zero_pages.h"
#include "runtime/value/value.h"

namespace pelorus {

class Debugger;

// The variables, functions and used modules of one session.
class Session final : public Scope {
public:
    explicit Session(const Services& services);
    ~Session() override;

    // Returns the slot of a variable, or -1. Slots never move while the session lives.
    int findVariable(std::string_view name) const;
    int makeVariable(const std::string& name);
    // Defines another name for the same variable: &y = x.
    void aliasVariable(const std::string& name, int slot) { slots_[name] = slot; }
    // Returns whether another name denotes the same variable. forgetAlias frees the name again.
    bool isAlias(std::string_view name) const;
    void forgetAlias(std::string_view name);
    Value& variable(int slot) const { return variables_[static_cast<size_t>(slot)]; }
    Value* variables() { return variables_; }
    void setVariable(const std::string& name, Value value);
    bool eraseVariable(std::string_view name);
    std::vector<std::string> variableNames() const;
    // Removes all variables. Slots are not reused before `reuseSlots`: running code may still refer to them.
    void clearVariables();
    // REQUIRES: no code of the session runs.
    void reuseSlots() {
        if (slots_.empty()) nextSlot_ = 0;
    }

    Ref<Function> findFunction(std::string_view name) const;
    void setFunction(const std::string& name, Ref<Function> function);
    bool eraseFunction(std::string_view name);
    std::vector<std::string> functionNames() const;
    // Returns whether a name was declared const at the top level.
    bool isConstant(std::string_view name) const { return constants_.contains(std::string(name)); }
    void makeConstant(const std::string& name) { constants_.insert(name); }
    // True in the dialects of Oracle and MySQL: SYSDATE() is sysdate(). A function with the exact name takes
    // precedence.
    bool ignoresCaseOfFunctions = false;
    // The number of rows that the last insert into, update or delete affected.
    int64_t matchedRows = 0;
    // Takes the rows that an update or delete of a row table is about to write: as they will be, or were before the
    // delete. It may throw: nothing is changed then. Empty: nobody asks. Called anew when the statement begins anew.
    std::function<void(const Ref<MemoryTable>& rows)> takesMetRows;
    // Returns the modules that `use` imported; a newer one replaces the older one of the same name.
    const std::vector<Ref<Module>>& modules() const { return modules_; }
    void useModule(Ref<Module> module);
    // Imports a module whose text the session was given: `use` of its name reads no file.
    void defineModule(Ref<Module> module);
    Ref<Module> findDefinedModule(std::string_view name) const;
    // Keeps a cell until the session, and all work that shares `cells()`, has ended.
    void own(Ref<FunctionCell> cell) { cells_->add(std::move(cell)); }
    // Returns the cells, which keep recursive functions of the session callable, for work that may outlive the session.
    std::shared_ptr<const FunctionCells> cells() const { return cells_; }

    // Finds a function of the session or its modules, else a function view, ignoring variables.
    bool lookupFunction(std::string_view name, Value& value) const;
    // Implements Scope: searches variables, then functions, then shared objects, then function views.
    bool lookup(std::string_view name, Value& value) const override;
    // Searches in the same order, but throws UserError for a shared table that `principal` has no right to.
    bool lookup(std::string_view name, Value& value, const Principal& principal) const;
    std::string nameOf(const Object& object) const override;

    const Services& services() const { return services_; }

    // The debugger, not owned. Code that is compiled while there is one stops at it, and never becomes machine code.
    Debugger* debugger = nullptr;
    ModuleMap debuggedModules;  // compiled for the debugger

private:
    bool lookupOwn(std::string_view name, Value& value) const;
    bool lookupOwnFunction(std::string_view name, Value& value) const;

    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
    };
    template <class T>
    using NameMap = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

    const Services& services_;
    NameMap<int> slots_;
    int nextSlot_ = 0;
    memory::ZeroPages pages_;  // pages of the variables, where zeros are VOID
    Value* const variables_;
    NameMap<Ref<Function>> functions_;
    std::unordered_set<std::string> constants_;
    std::vector<Ref<Module>> modules_;
    std::unordered_set<std::string> definedModules_;  // those of `modules_` whose text the session was given
    const std::shared_ptr<FunctionCells> cells_ = std::make_shared<FunctionCells>();
};

// Returns the session of the running code. Throws UserError when it runs outside of one.
Session& sessionOf(const Context& context);

}  // namespace pelorus
