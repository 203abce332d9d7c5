#include "apps/library/foreign_function.h"

#include <fmt/format.h>

#include <cstdlib>

#include "apps/library/c_objects.h"
#include "common/error.h"
#include "runtime/function/context.h"

namespace pelorus {

ForeignFunction::ForeignFunction(std::string name, int parameters, bool isElementwise, pelorus_function function,
                                 void* data, void (*release)(void*))
    : name_(std::move(name)), function_(function), data_(data), release_(release) {
    for (int i = 0; i < parameters; ++i) signature_.parameters.push_back({.name = fmt::format("X{}", i + 1)});
    signature_.elementwise = isElementwise;
}

ForeignFunction::~ForeignFunction() {
    if (release_) release_(data_);
}

Value ForeignFunction::save() const {
    throw UserError(fmt::format("The function {} belongs to the program that the engine is a library of.", name_),
                    "Write it as a script for what other processes call.");
}

Value ForeignFunction::call(Context& context, std::span<Value> arguments) const {
    context.checkCancelled();
    int64_t length = -1;  // of the vectors among the arguments
    std::vector<pelorus_value> held;
    held.reserve(arguments.size());
    for (Value& argument : arguments) {
        if (argument.isVector()) length = std::max(length, argument.size());
        held.push_back({std::move(argument)});
    }
    std::vector<pelorus_value*> places;
    places.reserve(held.size());
    for (pelorus_value& value : held) places.push_back(&value);
    pelorus_value* made = nullptr;
    if (char* why = function_(data_, places.data(), places.size(), &made)) {
        const std::string message = why;
        std::free(why);
        pelorus_value_free(made);
        throw UserError(fmt::format("{}: {}", name_, message));
    }
    if (!made) return Value();
    const std::unique_ptr<pelorus_value> owned(made);
    Value result = std::move(owned->value);
    if (signature_.elementwise && length >= 0 && !result.isScalar() && result.size() != length)
        throw UserError(fmt::format("{} returned {} elements for {}.", name_, result.size(), length),
                        "An elementwise function returns one for each element of its arguments.");
    return result;
}

}  // namespace pelorus
