// LateFunction is a function that was unknown when code that calls it was compiled. It is searched when the call runs,
// since it may have been defined meanwhile; if it still does not exist, the call throws an error that `try` can catch.
#pragma once

#include "runtime/function/function.h"

namespace pelorus {

class LateFunction final : public Function {
public:
    // `hint` names functions that the code may have meant.
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

// Returns a placeholder for a function that the language has but this version does not implement: a value like any
// other, which throws when it is called. Null for every other name.
Ref<Function> laterFunction(std::string_view name);

}  // namespace pelorus
