// Calls of built-in functions by name, without a session.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "stdlib/register_builtins.h"

namespace pelorus::testing {

inline Value called(std::string_view name, std::vector<Value> arguments) {
    FunctionRegistry& registry = FunctionRegistry::instance();
    if (registry.find("add") == nullptr) registerStandardLibrary(registry);
    const BuiltinFunction& function = registry.get(name);
    arguments.resize(function.signature().parameters.size());
    Services services;
    Request request{std::make_shared<const Principal>("user", Principal::Powers{})};
    Context context(services, request);
    return function.call(context, arguments);
}

// Returns what a call refuses; empty when it does not.
inline std::string refusal(std::string_view name, std::vector<Value> arguments) {
    try {
        called(name, std::move(arguments));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

inline Value numbers(const std::vector<double>& elements) {
    return Value::of(Vector::of(Type::Double, elements));
}

inline std::vector<double> elementsOf(const Value& value) {
    return {value.vector().data<double>(), value.vector().data<double>() + value.size()};
}

}  // namespace pelorus::testing
