#include "interpreter/session/session.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "interpreter/session/view_function.h"

namespace pelorus {

constexpr int kMaxVariables = kMaxOperandIndex + 1;

Session::Session(const Services& services)
    : services_(services), pages_(kMaxVariables * sizeof(Value)), variables_(static_cast<Value*>(pages_.data())) {}

Session::~Session() {
    for (int slot = 0; slot < nextSlot_; ++slot) variable(slot) = Value();
}

int Session::findVariable(std::string_view name) const {
    auto it = slots_.find(name);
    return it == slots_.end() ? -1 : it->second;
}

int Session::makeVariable(const std::string& name) {
    int slot = findVariable(name);
    if (slot >= 0) return slot;
    if (nextSlot_ == kMaxVariables) {
        throw UserError("A session cannot have more than 16384 variables.",
                        "Keep many values in a dictionary or table.");
    }
    slots_[name] = nextSlot_;
    return nextSlot_++;
}

void Session::setVariable(const std::string& name, Value value) {
    variable(makeVariable(name)) = std::move(value);
}

bool Session::isAlias(std::string_view name) const {
    const int slot = findVariable(name);
    return slot >= 0 && std::any_of(slots_.begin(), slots_.end(),
                                    [&](const auto& other) { return other.second == slot && other.first != name; });
}

void Session::forgetAlias(std::string_view name) {
    const auto alias = slots_.find(name);
    CHECK(alias != slots_.end()) << "the name of an alias has a slot";
    slots_.erase(alias);
}

bool Session::eraseVariable(std::string_view name) {
    auto it = slots_.find(name);
    if (it == slots_.end()) return false;
    if (!isAlias(name)) variable(it->second) = Value();
    constants_.erase(it->first);
    slots_.erase(it);
    return true;
}

std::vector<std::string> Session::variableNames() const {
    std::vector<std::string> names;
    for (const auto& [name, slot] : slots_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

void Session::clearVariables() {
    for (const auto& [name, slot] : slots_) variable(slot) = Value();
    slots_.clear();
    constants_.clear();
}

Ref<Function> Session::findFunction(std::string_view name) const {
    if (name.starts_with("::")) name.remove_prefix(2);
    auto it = functions_.find(name);
    return it == functions_.end() ? Ref<Function>() : it->second;
}

void Session::useModule(Ref<Module> module) {
    for (Ref<Module>& known : modules_) {
        if (known->name == module->name) {
            known = std::move(module);
            return;
        }
    }
    modules_.push_back(std::move(module));
}

void Session::defineModule(Ref<Module> module) {
    definedModules_.insert(module->name);
    useModule(std::move(module));
}

Ref<Module> Session::findDefinedModule(std::string_view name) const {
    if (!definedModules_.contains(std::string(name))) return Ref<Module>();
    const auto found = std::find_if(modules_.begin(), modules_.end(), [&](const auto& m) { return m->name == name; });
    return found == modules_.end() ? Ref<Module>() : *found;
}

void Session::setFunction(const std::string& name, Ref<Function> function) {
    functions_[name] = std::move(function);
}

bool Session::eraseFunction(std::string_view name) {
    auto it = functions_.find(name);
    if (it == functions_.end()) return false;
    functions_.erase(it);
    return true;
}

std::vector<std::string> Session::functionNames() const {
    std::vector<std::string> names;
    for (const auto& [name, function] : functions_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

bool Session::lookupOwnFunction(std::string_view name, Value& value) const {
    Ref<Function> function;
    if (name.starts_with("::")) {
        function = findFunction(name.substr(2));
    } else {
        function = findInModules(modules_, name);
        if (!function) function = findFunction(name);
        auto* store = services_.find<ModuleStore>();
        if (!function && store) function = store->findPreloaded(name);
    }
    if (function) value = Value::of(function);
    return bool(function);
}

bool Session::lookupFunction(std::string_view name, Value& value) const {
    if (lookupOwnFunction(name, value)) return true;
    Ref<Function> view = findViewFunction(services_, name);
    if (view) value = Value::of(view);
    return bool(view);
}

bool Session::lookupOwn(std::string_view name, Value& value) const {
    int slot = findVariable(name);
    if (slot >= 0) {
        value = variables_[static_cast<size_t>(slot)];
        return true;
    }
    return lookupOwnFunction(name, value);
}

bool Session::lookup(std::string_view name, Value& value) const {
    if (lookupOwn(name, value)) return true;
    auto* shared = services_.find<SharedObjects>();
    return (shared && shared->find(name, value)) || lookupFunction(name, value);
}

bool Session::lookup(std::string_view name, Value& value, const Principal& principal) const {
    if (lookupOwn(name, value)) return true;
    auto* shared = services_.find<SharedObjects>();
    return (shared && shared->find(name, value, principal)) || lookupFunction(name, value);
}

Session& sessionOf(const Context& context) {
    if (!context.session) throw UserError("This function needs a session.");
    return *static_cast<Session*>(context.session);
}

std::string Session::nameOf(const Object& object) const {
    for (const auto& [name, slot] : slots_) {
        const Value& v = variable(slot);
        if (v.hasObject() && v.object() == &object) return name;
    }
    return "";
}

}  // namespace pelorus
