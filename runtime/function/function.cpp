#include "runtime/function/function.h"

#include <fmt/format.h>

#include <climits>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"

namespace pelorus {

Value Value::of(Ref<Function> function) {
    return ofObject(Type::Function, Form::Scalar, function.detach());
}

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

Value skippedArgument() {
    Value v;
    v.setExtra(4);
    return v;
}

Value defaultArgument() {
    Value v;
    v.setExtra(3);
    return v;
}

// Returns whether a place of a partial application is filled by its call.
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
    // Slots before a fixed argument are filled by the call. One that is left open by a comma may stay open
    // when a built-in has a default for it.
    size_t open = 0;
    for (size_t i = 0; i < fixed_.size(); ++i) {
        if (isOpen(fixed_[i])) {
            const bool mayStay = function_->kind() == Function::Kind::Native && i < whole.parameters.size() &&
                                 whole.parameters[i].optional && fixed_[i].extra() != skippedArgument().extra();
            open += !mayStay;
        } else {
            required_ = open;
            const bool changes =
                i < whole.parameters.size() && (whole.parameters[i].isMutable || (i == 0 && whole.mutatesFirst));
            if (changes) mutable_.push_back(i);
        }
    }
    for (const size_t i : mutable_) state_.push_back(fixed_[i]);
}

std::vector<Value> PartialFunction::fixed() const {
    std::vector<Value> now = fixed_;
    const MutexLock guard(mutex_);
    for (size_t s = 0; s < mutable_.size() && !stateIsLent_; ++s) now[mutable_[s]] = state_[s];
    return now;
}

Ref<Function> PartialFunction::withOwnState() const {
    if (mutable_.empty()) return Ref<Function>();
    return makeRef<PartialFunction>(function_, fixed());
}

Value PartialFunction::call(Context& context, std::span<Value> arguments) const {
    requireStackRoom();
    if (arguments.size() < required_) {
        throw UserError(
            fmt::format("The function [{}] expects {} argument(s), but the actual number of arguments is: {}", name(),
                        required_, arguments.size()));
    }
    std::vector<Value> all;
    all.reserve(fixed_.size() + arguments.size());
    size_t next = 0;
    size_t firstOpen = 0;
    for (const Value& v : fixed_) {
        if (isOpen(v) && next < arguments.size()) {
            if (next == 0) firstOpen = all.size();
            all.push_back(std::move(arguments[next++]));
        } else {
            all.push_back(v);
        }
    }
    if (next == 0) firstOpen = all.size();
    while (next < arguments.size()) all.push_back(std::move(arguments[next++]));
    struct GiveBack {  // moves arguments that the function changed in place back, also when it throws
        std::span<Value> arguments;
        std::vector<Value>& all;
        size_t place;
        ~GiveBack() {
            if (place < all.size() && !arguments.empty()) arguments[0] = std::move(all[place]);
        }
    } giveBackFirst{arguments, all, signature_.mutatesFirst ? firstOpen : all.size()};
    if (mutable_.empty()) return function_->call(context, all);

    // The state leaves this object during the call, so that the function is its only owner and changes it in place.
    std::vector<Value> before;
    {
        const MutexLock guard(mutex_);
        if (!stateIsLent_) {
            stateIsLent_ = true;
            before = std::move(state_);
        }
    }
    if (before.empty()) return function_->call(context, all);
    for (size_t s = 0; s < mutable_.size(); ++s) all[mutable_[s]] = std::move(before[s]);
    struct Return {
        const PartialFunction& owner;
        std::vector<Value>& all;
        ~Return() {
            const MutexLock guard(owner.mutex_);
            owner.state_.clear();
            for (const size_t i : owner.mutable_) owner.state_.push_back(std::move(all[i]));
            owner.stateIsLent_ = false;
        }
    } giveBack{*this, all};
    return function_->call(context, all);
}

std::string PartialFunction::describe() const {
    requireStackRoom();
    std::string string = function_->describe();
    // {x, y -> x + y}{1}: without the brackets the slots would belong to the body.
    if (function_->name().empty() && !string.starts_with("{")) string = "{" + string + "}";
    string += "{";
    const std::vector<Value> held = fixed();
    for (size_t i = 0; i < held.size(); ++i) {
        if (i > 0) string += ", ";
        if (isOpen(held[i])) continue;
        const Value& v = held[i];
        const bool isShort = v.isScalar() || v.isPair() || v.isVector() || v.form() == Form::Set;
        string += isDefaultArgument(v) ? "DFLT" : v.isScalar() ? itemString(v) : isShort ? display(v) : typeString(v);
    }
    return string + "}";
}

Value PartialFunction::save() const {
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(function_), Value::of(makeRef<Tuple>(fixed()))}));
}

static Ref<Portable> loadPartial(const Value& saved) {
    const std::vector<Value>& parts = savedParts(saved, 2);
    if (!parts[0].isFunction() || !parts[1].isTuple())
        throw UserError("A partial application arrived in another shape.");
    return makeRef<PartialFunction>(Ref<Function>(&parts[0].function()), parts[1].tuple().elements);
}

[[maybe_unused]] static const bool registered = (registerPortable("partial", loadPartial), true);

}  // namespace pelorus
