// A function value. The interface hides the implementation: a built-in kernel, a script function, a partial
// application.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/portable.h"
#include "runtime/value/value.h"

namespace pelorus {

class Context;

struct Parameter {
    std::string name;
    bool optional = false;
    bool isMutable = false;
    Value defaultValue;  // default of an optional parameter of a script's function; omitted() when its code computes it
};

// The properties of a function that a caller may rely on.
struct Signature {
    std::vector<Parameter> parameters;
    bool variadic = false;        // the last parameter repeats, as in f(X, ...)
    bool mutatesFirst = false;    // changes its first argument in place, as append!
    bool aggregate = false;       // vectors in, one value out; SQL groups with it
    bool elementwise = false;     // element i of the result depends on element i of the arguments only
    bool orderSensitive = false;  // the result depends on the order of rows, as prev or msum

    int minArguments() const;
    int maxArguments() const;  // INT_MAX when variadic
};

class Function : public Portable {
public:
    // Script functions run inside the interpreter's loop; everything else is called.
    enum class Kind : uint8_t { Native, Closure, Cell };
    Kind kind() const { return kind_; }

    virtual std::string_view name() const = 0;
    virtual const Signature& signature() const = 0;

    // Runs the function. Omitted optional arguments are missing at the end or `isOmitted`. The callee may move out of
    // `arguments`; one that mutates its first argument leaves the changed value in arguments[0], and receives it
    // unshared when the caller could give it up. Throws Error. Thread-safe: a function value is called by many threads
    // at once.
    virtual Value call(Context& context, std::span<Value> arguments) const = 0;

    // Calls it for elements 0 … count - 1 of vectors in step, scalars repeating, when that is faster than single calls:
    // for a script function that has machine code. Returns false, having done nothing, otherwise.
    virtual bool callOnElements(Context&, std::span<const Value> arguments, int64_t count, Value& results) const {
        (void)arguments, (void)count, (void)results;
        return false;
    }

    // Returns the values that the function keeps for its calls: those of a partial application, or what a closure
    // captured.
    virtual std::vector<Value> heldValues() const { return {}; }

    // Returns the string that shows the function, as the console does.
    virtual std::string describe() const { return std::string(name()); }

protected:
    explicit Function(Kind kind = Kind::Native) : kind_(kind) {}

private:
    const Kind kind_;
};

// Returns the marker of an argument left out on purpose, as in f(, 3).
Value omitted();
// Returns the marker of a place that keyword arguments skipped, as that of a in f{b=3}.
Value skippedArgument();
// Returns the constant DFLT: the parameter's default, also where a partial application would leave its place open.
Value defaultArgument();
inline bool isDefaultArgument(const Value& v) {
    return v.isVoid() && v.extra() == 3;
}
// True for an argument that was left out or skipped, and for DFLT: the function takes the default.
inline bool isOmitted(const Value& v) {
    return v.isVoid() && v.extra() >= 2;
}

// A partial application f{a, , c}: holds some arguments, takes the others. A value held for a mutable parameter is a
// state: a call that returns leaves it to the next one. A call that begins while another one has the state (from
// another thread, or from within) works on a copy of the original value, and leaves nothing.
class PartialFunction final : public Function {
public:
    // Makes a partial application. Slots that are left out are filled by the call's arguments from left to right;
    // further ones follow.
    PartialFunction(Ref<Function> function, std::vector<Value> fixed);

    std::string_view name() const override { return function_->name(); }
    const Signature& signature() const override { return signature_; }
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string describe() const override;
    std::string_view portableKind() const override { return "partial"; }
    Value save() const override;

    const Ref<Function>& function() const { return function_; }
    // Returns the held arguments, with the state as it is now.
    std::vector<Value> fixed() const;
    std::vector<Value> heldValues() const override {
        std::vector<Value> held = fixed();
        held.push_back(Value::of(function_));
        return held;
    }
    // Returns the same application with a separate state, for concurrent calls; null when it holds none.
    Ref<Function> withOwnState() const;

private:
    Ref<Function> function_;
    std::vector<Value> fixed_;     // the fixed arguments, as they were given
    std::vector<size_t> mutable_;  // those of fixed_ that calls may change
    mutable Mutex mutex_;          // is never held while the function runs
    mutable std::vector<Value> state_ GUARDED_BY(mutex_);
    mutable bool stateIsLent_ GUARDED_BY(mutex_) = false;
    size_t required_ = 0;  // arguments that a call must pass at least
    Signature signature_;
};

inline Function& Value::function() const {
    if (!(isFunction())) refuse("a function");
    return *as<Function>();
}

}  // namespace pelorus
