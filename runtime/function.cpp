#include "runtime/function.h"

#include <fmt/format.h>

#include <climits>

#include "common/error.h"
#include "runtime/format/print.h"
#include "runtime/vector.h"

namespace pelorus {

int Signature::minArguments() const {
    int n = 0;
    for (const Parameter& p : parameters) n += !p.optional;
    return n;
}

int Signature::maxArguments() const {
    return variadic ? INT_MAX : static_cast<int>(parameters.size());
}

Value omitted() {
    Value v;
    v.setExtra(2);
    return v;
}

Value passedOver() {
    Value v;
    v.setExtra(4);
    return v;
}

Value defaultArgument() {
    Value v;
    v.setExtra(3);
    return v;
}

// A place of a partial application that its call fills.
static bool isOpen(const Value& fixed) {
    return isOmitted(fixed) && !isDefaultArgument(fixed);
}

PartialFunction::PartialFunction(Ref<Function> function, std::vector<Value> fixed)
    : function_(std::move(function)), fixed_(std::move(fixed)) {
    const Signature& whole = function_->signature();
    signature_ = whole;
    signature_.parameters.clear();
    signature_.mutatesFirst = whole.mutatesFirst && !fixed_.empty() && isOpen(fixed_[0]);
    for (size_t i = 0; i < whole.parameters.size(); ++i) {
        if (i >= fixed_.size() || isOpen(fixed_[i])) signature_.parameters.push_back(whole.parameters[i]);
    }
    // Slots before a fixed argument are filled by the call (FUN-10). One that is left open by a comma may stay open
    // when a built-in has a default for it.
    size_t open = 0;
    for (size_t i = 0; i < fixed_.size(); ++i) {
        if (isOpen(fixed_[i])) {
            const bool mayStay = function_->kind() == Function::Kind::Native && i < whole.parameters.size() &&
                                 whole.parameters[i].optional && fixed_[i].extra() != passedOver().extra();
            open += !mayStay;
        } else {
            required_ = open;
        }
    }
}

Value PartialFunction::call(Context& context, std::span<Value> arguments) const {
    if (arguments.size() < required_) {
        throw UserError(
            fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}", name(),
                        required_, arguments.size()));
    }
    std::vector<Value> all;
    all.reserve(fixed_.size() + arguments.size());
    size_t next = 0;
    for (const Value& v : fixed_) {
        if (isOpen(v) && next < arguments.size()) {
            all.push_back(std::move(arguments[next++]));
        } else {
            all.push_back(v);
        }
    }
    while (next < arguments.size()) all.push_back(std::move(arguments[next++]));
    return function_->call(context, all);
}

std::string PartialFunction::describe() const {
    std::string text = function_->describe();
    // {x, y -> x + y}{1}: without the brackets the slots would belong to the body.
    if (function_->name().empty() && !text.starts_with("{")) text = "{" + text + "}";
    text += "{";
    for (size_t i = 0; i < fixed_.size(); ++i) {
        if (i > 0) text += ", ";
        if (isOpen(fixed_[i])) continue;
        text += isDefaultArgument(fixed_[i]) ? "DFLT" : itemText(fixed_[i]);
    }
    return text + "}";
}

Value PartialFunction::save() const {
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(function_), Value::of(makeRef<Tuple>(fixed_))}));
}

static Ref<Portable> loadPartial(const Value& saved) {
    const std::vector<Value>& parts = savedParts(saved, 2);
    if (!parts[0].isFunction() || !parts[1].isTuple())
        throw UserError("A partial application arrived in another shape.");
    return makeRef<PartialFunction>(Ref<Function>(&parts[0].function()), parts[1].tuple().items);
}

[[maybe_unused]] static const bool registered = (registerPortable("partial", loadPartial), true);

}  // namespace pelorus
