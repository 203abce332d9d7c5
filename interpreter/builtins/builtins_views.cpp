// Implements addFunctionView, dropFunctionView and getFunctionViews.
#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/session/function_views.h"
#include "interpreter/session/session.h"
#include "interpreter/session/stored_function.h"
#include "interpreter/vm/vm.h"
#include "runtime/function/principal.h"
#include "runtime/registry/function_theme.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

using Named = std::pair<std::string, Ref<Function>>;

FunctionViews& viewsOf(Context& context) {
    auto* views = context.service<FunctionViews>();
    if (!views) throw UserError("This process keeps no function views.");
    return *views;
}

void requireCreation(const Principal& principal) {
    if (!principal.administers()) principal.require(Right::CreateView);
}

// A default that is a table, a function or the like would not be a value that every session makes anew.
void requirePlainDefaults(const Closure& closure, Context& context) {
    for (const ParameterNode& p : closure.code().body.parameters) {
        if (!p.defaultValue) continue;
        const auto refuse = [&](std::string_view why) {
            throw UserError(0, fmt::format("The default of {} {}.", p.name, why),
                            "A function view takes scalars, pairs and vectors as defaults.");
        };
        Value value;
        try {
            std::vector<Value> none;
            value = compileExpression(p.defaultValue, {}, nullptr, *context.services)->call(context, none);
        } catch (const UserError& e) {
            refuse(fmt::format("cannot be computed by itself: {}", e.what()));
        }
        const bool isSystem =
            (value.type() >= Type::Function && value.type() <= Type::Resource) || value.type() == Type::Object;
        const bool isPlain = (value.isScalar() && !isSystem) || value.isPair() || value.isTypedVector();
        if (!isPlain && !value.isVoid()) refuse("is no scalar, pair or vector");
    }
}

// The name that sessions call it by: that of its module comes before it.
std::string qualifiedName(const Function& function, const Session& session) {
    const std::string name(function.name());
    for (const Ref<Module>& module : session.modules()) {
        const auto it = module->functions.find(name);
        if (it != module->functions.end() && closureOf(*it->second) == closureOf(function)) {
            return module->name + "::" + name;
        }
    }
    return name;
}

std::vector<Named> functionsOfModule(const std::string& name, const Session& session, Context& context) {
    Ref<Module> module;
    for (const Ref<Module>& used : session.modules()) {
        if (used->name == name) module = used;
    }
    if (!module) {
        auto* store = context.service<ModuleStore>();
        if (!store) throw UserError("This process has no modules.");
        if (session.findFunction(name)) {
            throw UserError(0, fmt::format("A string names a module, but {} is a function.", name),
                            fmt::format("Pass the function itself: addFunctionView({}).", name));
        }
        module = store->load(name, *context.services);
    }
    std::vector<Named> functions;
    for (const auto& [function, value] : module->functions) {
        functions.emplace_back(fmt::format("{}::{}", name, function), value);
    }
    if (functions.empty()) throw UserError(0, fmt::format("The module {} has no functions.", name));
    return functions;
}

Value addKernel(Context& context, Arguments a) {
    requireCreation(context.principal());
    FunctionViews& views = viewsOf(context);
    if (!context.session) throw UserError("This function needs a session.");
    const Session& session = *static_cast<Session*>(context.session);
    std::vector<Named> functions;
    if (a[0].isString()) {
        functions = functionsOfModule(std::string(a[0].string()), session, context);
    } else if (!a[0].isFunction()) {
        throw UserError(0, "udf must be a function of a script, or the name of a module.");
    } else {
        functions.emplace_back(qualifiedName(a[0].function(), session), Ref<Function>(&a[0].function()));
    }
    for (const auto& [name, function] : functions) {
        const Closure* closure = closureOf(*function);
        if (!closure || closure->name().empty() || !closure->captures().empty()) {
            throw UserError(0, fmt::format("{} is no function that `def` gave a name.", function->describe()),
                            "Built-in, anonymous and partially applied functions are no function views.");
        }
        requirePlainDefaults(*closure, context);
    }
    views.add(functions, context.principal().user());
    return Value();
}

Value dropKernel(Context& context, Arguments a) {
    const Principal& principal = context.principal();
    requireCreation(principal);
    if (!a[0].isString()) throw UserError(0, "name must be a string.");
    std::string name(a[0].string());
    if (name.starts_with("::")) name.erase(0, 2);
    const bool isNamespace = !isOmitted(a[1]) && a[1].isScalar() && isIntegral(a[1].type()) && a[1].integer() == 1;
    std::vector<std::shared_ptr<const FunctionView>> dropped;
    for (const auto& view : viewsOf(context).all()) {
        const size_t end = view->name.rfind("::");
        const bool isMeant =
            isNamespace ? end != std::string::npos && view->name.compare(0, end, name) == 0 : view->name == name;
        if (!isMeant) continue;
        if (!principal.administers() && view->owner != principal.user()) {
            throw UserError(fmt::format("<NoPrivilege>The function view {} belongs to {}.", view->name, view->owner),
                            "Its owner or an administrator can drop it.");
        }
        dropped.push_back(view);
    }
    if (dropped.empty()) {
        throw UserError(0,
                        isNamespace ? fmt::format("There are no function views in the namespace {}.", name)
                                    : fmt::format("There is no function view {}.", name),
                        "getFunctionViews() shows them.");
    }
    viewsOf(context).drop(dropped);
    return Value();
}

Value getKernel(Context& context, Arguments) {
    const Principal& principal = context.principal();
    std::vector<std::string> names, bodies, owners;
    std::vector<int64_t> times;
    for (const auto& view : viewsOf(context).all()) {
        if (!principal.administers() && view->owner != principal.user()) continue;
        names.push_back(view->name);
        bodies.push_back(view->source);
        owners.push_back(view->owner);
        times.push_back(view->createdMillis);
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "body", "owner", "createTime"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(bodies)),
                           Value::of(Vector::ofStrings(owners)), Value::of(Vector::of(Type::Timestamp, times))})));
}

}  // namespace

void registerViewBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "addFunctionView(udf|moduleName)", addKernel,
        {.summary = "Keeps a function of a script in the database, where every session and node can call it; it runs "
                    "with the rights of the user who added it.",
         .parameters = "udf|moduleName: a function with a name, or the name of a module, whose functions are all "
                       "added as module::function",
         .errors = "The user is neither an administrator nor has VIEW_OWNER; there is such a view already; the "
                   "function is built in, anonymous or partially applied, calls another one that calls it, or has a "
                   "default that is no scalar, pair or vector.",
         .complexity = "One transaction of the metadata store.",
         .example = "def spread(bid, ask) { return ask - bid }; addFunctionView(spread)"});
    registry.add(
        "dropFunctionView(name, [isNamespace=false])", dropKernel,
        {.summary = "Removes a function view, or all of a module; calls that run finish.",
         .parameters = "name: of a view, or with isNamespace of a module",
         .errors = "There is no such view; the user is neither an administrator nor its owner with VIEW_OWNER.",
         .complexity = "One transaction of the metadata store.",
         .example = "dropFunctionView(\"spread\")"});
    registry.add("getFunctionViews()", getKernel,
                 {.summary = "A table of the function views with columns name, body, owner, createTime: of all for an "
                             "administrator, else of the user's own.",
                  .errors = "The metadata store does not answer.",
                  .example = "select name, owner from getFunctionViews()"},
                 kReads);
}

}  // namespace pelorus
