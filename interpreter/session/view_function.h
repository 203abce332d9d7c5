// ViewFunction is a function view as a value: it holds the name, and finds the view when it is called. So values from
// before cannot call a view that was dropped, or whose right was revoked.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "interpreter/session/function_views.h"
#include "runtime/function/function.h"

namespace pelorus {

// The function of one view.
class ViewFunction final : public Function {
public:
    ViewFunction(std::string name, Signature signature) : name_(std::move(name)), signature_(std::move(signature)) {}

    std::string_view name() const override { return name_; }
    const Signature& signature() const override { return signature_; }
    // Checks the right to execute the view, then runs its body with the rights of its definer, in a separate session.
    // Functions among the arguments run as the caller. Throws UserError when the view or its definer does not exist any
    // more.
    Value call(Context& context, std::span<Value> arguments) const override;
    std::string_view portableKind() const override { return "view"; }
    Value save() const override;

private:
    std::string name_;
    Signature signature_;
};

// Returns the view of that name as a value; null when there is none, or a built-in has the name.
Ref<Function> findViewFunction(const Services& services, std::string_view name);

}  // namespace pelorus
