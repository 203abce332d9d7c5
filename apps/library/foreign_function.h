// ForeignFunction is a function of the program that uses the engine as a library, as a value of the language.
#pragma once

#include <string>

#include "apps/library/pelorus.h"
#include "runtime/function/function.h"

namespace pelorus {

// Its call hands the arguments over as values of the C interface. Threads of the engine call it at once.
class ForeignFunction final : public Function {
public:
    // `release` may be null; it is called with `data` when the last reference goes.
    ForeignFunction(std::string name, int parameters, bool isElementwise, pelorus_function function, void* data,
                    void (*release)(void*));
    ~ForeignFunction() override;

    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return signature_; }
    // Throws UserError with the message of the program's error.
    Value call(Context& context, std::span<Value> arguments) const override;

    std::string_view portableKind() const override { return "foreign"; }
    // Throws UserError: the function belongs to this process.
    Value save() const override;

private:
    const std::string name_;
    Signature signature_;
    const pelorus_function function_;
    void* const data_;
    void (*const release_)(void*);
};

}  // namespace pelorus
