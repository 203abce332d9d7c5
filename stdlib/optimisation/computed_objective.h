// A function of free numbers, which minimizers call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/function/function.h"

namespace pelorus {

// A computation from a point to a number as a function of the script. No script sees it: it cannot be saved.
class ComputedObjective final : public Function {
public:
    using Body = std::function<double(Context&, const std::vector<double>&)>;
    // `name` is that of the built-in that fits; errors tell it.
    ComputedObjective(std::string name, Body body);
    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return signature_; }
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string_view portableKind() const override { return ""; }
    Value save() const override { return {}; }

private:
    std::string name_;
    Body body_;
    Signature signature_;
};

}  // namespace pelorus
