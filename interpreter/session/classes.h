// ScriptClass is a class of a script: attributes with types, and methods that are found by name when they are called.
#pragma once

#include <unordered_map>

#include "interpreter/bytecode/closure.h"
#include "runtime/function/instance.h"

namespace pelorus {

// The class as a function: its call is the constructor. Methods are added while the class is compiled; it is immutable
// afterwards.
class ScriptClass final : public ClassFunction {
public:
    ScriptClass(std::string name, Ref<ClassFunction> base, std::vector<Attribute> attributes);

    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return signature_; }
    // Makes an instance and runs the constructor on it.
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string_view portableKind() const override { return "class"; }
    Value save() const override;

    const std::vector<Attribute>& attributes() const override { return attributes_; }
    const ClassFunction* base() const override { return base_.get(); }
    Ref<Function> method(std::string_view name) const override;

    void addMethod(const std::string& name, Ref<Function> function);
    // Returns the names of the methods of this class, without those of its base.
    std::vector<std::string> methodNames() const;

private:
    std::string name_;
    Ref<ClassFunction> base_;
    std::vector<Attribute> attributes_;
    Signature signature_;  // the constructor's, without the instance
    std::unordered_map<std::string, Ref<Function>> methods_;
};

// The function of object.method(…): the first argument determines which method is called. For objects that are no
// instances, it calls `otherwise`, or throws when that is null.
class MethodFunction final : public Function {
public:
    explicit MethodFunction(std::string name, Ref<Function> otherwise = Ref<Function>());

    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return otherwise_ ? otherwise_->signature() : signature_; }
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string_view portableKind() const override { return "method"; }
    Value save() const override { return Value::ofString(name_); }

private:
    std::string name_;
    Signature signature_;
    Ref<Function> otherwise_;
};

// Runs a method of an instance. Throws UserError when its class has none of that name.
Value callMethod(const Value& object, std::string_view method, std::span<Value> arguments, Context& context);

// Returns the attribute that `name :: text` declares. Throws UserError when the text is no type.
Attribute attributeOf(const std::string& name, const std::string& text);

}  // namespace pelorus
