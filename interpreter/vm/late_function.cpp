#include "interpreter/session/late_function.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/later_functions.h"
#include "interpreter/session/session.h"
#include "interpreter/session/view_function.h"
#include "interpreter/vm/vm.h"
#include "runtime/function/context.h"

namespace pelorus {

LateFunction::LateFunction(std::string name, std::string hint) : name_(std::move(name)), hint_(std::move(hint)) {
    signature_.variadic = true;
}

Value LateFunction::call(Context& context, std::span<Value> arguments) const {
    const Value function = found(context);
    return callFunction(function.function(), context, arguments);
}

Value LateFunction::found(Context& context) const {
    auto* session = static_cast<Session*>(context.session);
    if (context.definer) {
        // In a function view, a name means no function that the caller could have defined.
        if (Ref<Function> view = findViewFunction(*context.services, name_)) return Value::of(view);
    } else if (session) {
        Value function;
        if (session->lookupFunction(name_, function)) return function;
    }
    throw UserError(fmt::format("The function or procedure '{}' is not defined. RefId: S06004", name_), hint_);
}

Ref<Function> laterFunction(std::string_view name) {
    std::string note = laterFunctionNote(name);
    if (note.empty()) return Ref<Function>();
    return makeRef<LateFunction>(std::string(name), std::move(note));
}

}  // namespace pelorus
