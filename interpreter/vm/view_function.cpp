#include "interpreter/session/view_function.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/session/session.h"
#include "interpreter/vm/caller_values.h"
#include "interpreter/vm/vm.h"
#include "runtime/function/principal_source.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

std::shared_ptr<const FunctionView> viewNamed(const Context& context, const std::string& name) {
    auto* views = context.service<FunctionViews>();
    std::shared_ptr<const FunctionView> view = views ? views->find(name) : nullptr;
    if (view) return view;
    throw UserError(fmt::format("There is no function view {}.", name), "It may have been dropped.");
}

// Returns the definer as it is at this call.
std::shared_ptr<const Principal> definerOf(const Context& context, const FunctionView& view) {
    try {
        return principalOf(*context.services, view.owner);
    } catch (const UserError& e) {
        throw UserError(
            fmt::format("The function view {} cannot run, since {}, who defined it, is no user any more: {}", view.name,
                        view.owner, e.what()),
            "An administrator can drop it and add it again.");
    }
}

}  // namespace

Value ViewFunction::call(Context& context, std::span<Value> arguments) const {
    const std::shared_ptr<const FunctionView> view = viewNamed(context, name_);
    const Principal& principal = context.principal();
    if (principal.isGuest() || principal.user() != view->owner) {
        principal.require(Right::ExecuteView,
                          {.kind = SecuredObject::Kind::View, .name = view->name, .owner = view->owner});
    }
    const Ref<Function> function = view->function();
    const std::shared_ptr<const Principal> definer = definerOf(context, *view)->calledBy(principal);
    const auto caller = std::make_shared<ViewCaller>(context);
    struct EndCall {
        ViewCaller& caller;
        std::span<Value> arguments;
        ~EndCall() {
            caller.hasEnded = true;
            try {  // also when the body throws: variables that it may change are among them
                for (Value& argument : arguments) argument = unguardedValue(argument, caller);
            } catch (const Error&) {
                // Nested too deep by the body: its functions refuse to be called.
            }
        }
    } end{*caller, arguments};
    for (Value& argument : arguments) argument = guardedValue(argument, caller);
    // Names of the body do not mean variables or functions of the caller.
    Session own(*context.services);
    Context inner = context;
    inner.definer = definer.get();
    inner.callerTables = &caller->tables;
    inner.session = &own;
    inner.scope = nullptr;
    return unguardedValue(callFunction(*function, inner, arguments), *caller);
}

// Name, and the signature as parameter names and their marks.
Value ViewFunction::save() const {
    std::vector<std::string> names;
    std::vector<int8_t> optional, changed;
    for (const Parameter& p : signature_.parameters) {
        names.push_back(p.name);
        optional.push_back(p.optional);
        changed.push_back(p.isMutable);
    }
    return Value::of(makeRef<Tuple>(std::vector<Value>{
        Value::ofString(name_), Value::of(Vector::ofStrings(names)), Value::of(Vector::of(Type::Bool, optional)),
        Value::of(Vector::of(Type::Bool, changed)), Value::ofBool(signature_.aggregate)}));
}

static Ref<Portable> loadView(const Value& saved) {
    const std::vector<Value>& parts = savedParts(saved, 5);
    const bool fits = parts[0].isString() && parts[1].isVector() && isLiteral(parts[1].type()) &&
                      parts[2].isTypedVector() && parts[2].type() == Type::Bool && parts[3].isTypedVector() &&
                      parts[3].type() == Type::Bool && parts[2].size() == parts[1].size() &&
                      parts[3].size() == parts[1].size() && parts[4].isScalar() && parts[4].type() == Type::Bool;
    if (!fits) throw UserError("A function view arrived in another shape.");
    Signature signature;
    for (int64_t i = 0; i < parts[1].size(); ++i) {
        signature.parameters.push_back({std::string(parts[1].vector().string(i)), parts[2].at(i).integer() == 1,
                                        parts[3].at(i).integer() == 1, omitted()});
    }
    signature.mutatesFirst = !signature.parameters.empty() && signature.parameters[0].isMutable;
    signature.aggregate = parts[4].integer() == 1;
    return makeRef<ViewFunction>(std::string(parts[0].string()), std::move(signature));
}

[[maybe_unused]] static const bool registered = (registerPortable("view", loadView), true);

Ref<Function> findViewFunction(const Services& services, std::string_view name) {
    auto* views = services.find<FunctionViews>();
    if (!views) return Ref<Function>();
    if (name.starts_with("::")) name.remove_prefix(2);
    if (FunctionRegistry::instance().find(name)) return Ref<Function>();
    const std::shared_ptr<const FunctionView> view = views->find(name);
    if (!view) return Ref<Function>();
    return makeRef<ViewFunction>(view->name, view->function()->signature());
}

}  // namespace pelorus
