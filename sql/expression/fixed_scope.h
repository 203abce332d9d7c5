// Scope of a query whose caller is in another process.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

// Scope with the values of a query's free names, which makes it independent of the caller.
class FixedScope final : public Scope {
public:
    explicit FixedScope(Value dictionary) : names_(std::move(dictionary)) {}
    bool lookup(std::string_view name, Value& value) const override;
    const Value& dictionary() const { return names_; }

private:
    Value names_;  // STRING → ANY
};

}  // namespace pelorus
