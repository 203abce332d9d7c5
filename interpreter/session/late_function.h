// A function that nobody knew when code that calls it was compiled. It is looked for when the call runs, as a set-up
// may have defined it by then, and is an error that try can catch where it still does not exist.
#pragma once

#include "runtime/function/function.h"

namespace pelorus {

class LateFunction final : public Function {
public:
    // `hint` names what the code may have meant.
    LateFunction(std::string name, std::string hint);

    // Returns the function that `name` denotes now. Throws UserError where there is still none.
    Value found(Context& context) const;

    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return signature_; }
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string_view portableKind() const override { return "builtin"; }
    Value save() const override { return Value::ofString(name_); }

private:
    std::string name_;
    std::string hint_;
    Signature signature_;
};

// A function of the family that this version does not have: a value like any other, and an error where it is called.
// Null for every other name.
Ref<Function> laterFunction(std::string_view name);

}  // namespace pelorus
