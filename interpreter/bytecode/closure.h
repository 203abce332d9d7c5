// Closure is a function of a script as a callable value at run time.
#pragma once

#include "interpreter/bytecode/compiled_function.h"
#include "runtime/function/function.h"

namespace pelorus {

// The code of a function with the values that it captured. Immutable; threads share it.
class Closure final : public Function {
public:
    Closure(Ref<CompiledFunction> code, std::vector<Value> captures)
        : Function(Kind::Closure), code_(std::move(code)), captures_(std::move(captures)) {}

    std::string_view name() const override { return code_->body.name; }
    const Signature& signature() const override { return code_->signature; }
    Value call(Context& context, std::span<Value> arguments) const override;
    bool callOnElements(Context& context, std::span<const Value> arguments, int64_t count,
                        Value& results) const override;
    std::string describe() const override;
    std::string_view portableKind() const override { return "closure"; }
    Value save() const override;

    const CompiledFunction& code() const { return *code_; }
    const std::vector<Value>& captures() const { return captures_; }
    std::vector<Value> heldValues() const override { return captures_; }

private:
    Ref<CompiledFunction> code_;
    std::vector<Value> captures_;
};

// A function that is known by name before its body is, for recursion and forward declarations. The session's
// FunctionCells empty the cells when it ends, which breaks the reference cycles of recursion.
class FunctionCell final : public Function {
public:
    FunctionCell(std::string name, Signature signature)
        : Function(Kind::Cell), name_(std::move(name)), signature_(std::move(signature)) {}

    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return target ? target->signature() : signature_; }
    Value call(Context& context, std::span<Value> arguments) const override;
    bool callOnElements(Context& context, std::span<const Value> arguments, int64_t count,
                        Value& results) const override {
        return target && target->callOnElements(context, arguments, count, results);
    }
    std::string describe() const override { return target ? target->describe() : name_; }
    std::string_view portableKind() const override { return target ? target->portableKind() : "closure"; }
    Value save() const override;

    Ref<Function> target;

private:
    std::string name_;
    Signature signature_;
};

}  // namespace pelorus
