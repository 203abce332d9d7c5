#include "interpreter/session/classes.h"

#include <fmt/format.h>

#include <climits>

#include "common/error.h"
#include "interpreter/vm/vm.h"
#include "runtime/value/print.h"

namespace pelorus {

ScriptClass::ScriptClass(std::string name, Ref<ClassFunction> base, std::vector<Attribute> attributes)
    : name_(std::move(name)), base_(std::move(base)) {
    if (base_) attributes_ = base_->attributes();
    attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
}

void ScriptClass::addMethod(const std::string& name, Ref<Function> function) {
    if (name == name_) {
        signature_ = function->signature();
        if (!signature_.parameters.empty()) signature_.parameters.erase(signature_.parameters.begin());
        signature_.mutatesFirst = false;
    }
    methods_[name] = std::move(function);
}

std::vector<std::string> ScriptClass::methodNames() const {
    std::vector<std::string> names;
    for (const auto& [name, function] : methods_) names.push_back(name);
    return names;
}

Ref<Function> ScriptClass::method(std::string_view name) const {
    auto it = methods_.find(std::string(name));
    if (it != methods_.end()) return it->second;
    return base_ ? base_->method(name) : Ref<Function>();
}

Value ScriptClass::call(Context& context, std::span<Value> arguments) const {
    Ref<ClassFunction> self(const_cast<ScriptClass*>(this));
    Value object = Value::ofSystem(Type::Object, makeRef<Instance>(self));
    if (methods_.contains(name_)) {
        callMethod(object, name_, arguments, context);
    } else if (!arguments.empty()) {
        throw UserError(fmt::format("The class {} has no constructor: it takes no arguments.", name_));
    }
    return object;
}

Value ScriptClass::save() const {
    throw UserError(fmt::format("The class {} can't be sent to another process.", name_));
}

MethodFunction::MethodFunction(std::string name, Ref<Function> otherwise)
    : name_(std::move(name)), otherwise_(std::move(otherwise)) {
    signature_.variadic = true;
}

Value MethodFunction::call(Context& context, std::span<Value> arguments) const {
    if (!arguments.empty() && isInstance(arguments[0])) {
        const bool has = static_cast<bool>(arguments[0].as<Instance>()->type().method(name_));
        if (has || !otherwise_) return callMethod(arguments[0], name_, arguments.subspan(1), context);
    }
    if (otherwise_) return callFunction(*otherwise_, context, arguments);
    throw UserError(fmt::format("The function or procedure '{}' is not defined. RefId: S06004", name_),
                    arguments.empty() ? "" : fmt::format("{} has no methods.", typeString(arguments[0])));
}

Value callMethod(const Value& object, std::string_view method, std::span<Value> arguments, Context& context) {
    const ClassFunction& type = object.as<Instance>()->type();
    Ref<Function> function = type.method(method);
    if (!function) throw UserError(fmt::format("The class {} has no method {}.", type.name(), method));
    const auto expected = function->signature().parameters.size() - 1;
    if (arguments.size() > expected) {
        throw UserError(
            fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}", method,
                        expected, arguments.size()));
    }
    std::vector<Value> all{object};
    for (Value& argument : arguments) all.push_back(std::move(argument));
    return callFunction(*function, context, all);
}

Attribute attributeOf(const std::string& name, const std::string& text) {
    Attribute attribute{name, text, Type::Any, false};
    std::string type = text;
    constexpr std::string_view kVector = " VECTOR";
    if (type.ends_with(kVector)) {
        attribute.isVector = true;
        type.resize(type.size() - kVector.size());
    }
    while (!type.empty() && type.back() == ' ') type.pop_back();
    // Decimals and array vectors are kept as they are assigned.
    if (type.starts_with("DECIMAL") || type.ends_with("[]") || type == "ANY") return attribute;
    constexpr std::string_view kForms[] = {"TABLE", "DICT", "DICTIONARY", "MATRIX",
                                           "SET",   "PAIR", "FUNCTION",   "OBJECT"};
    if (std::find(std::begin(kForms), std::end(kForms), type) != std::end(kForms)) return attribute;
    if (!typeByName(type, attribute.type)) {
        throw UserError(fmt::format("{} is no type of an attribute.", text),
                        "Write a type such as INT, DOUBLE VECTOR, or ANY.");
    }
    if (attribute.type == Type::Function || attribute.type == Type::Code) attribute.type = Type::Any;
    return attribute;
}

}  // namespace pelorus
