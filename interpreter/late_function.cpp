#include "interpreter/late_function.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/session.h"
#include "interpreter/vm.h"
#include "runtime/context.h"

namespace pelorus {

LateFunction::LateFunction(std::string name, std::string hint) : name_(std::move(name)), hint_(std::move(hint)) {
    signature_.variadic = true;
}

Value LateFunction::call(Context& context, std::span<Value> arguments) const {
    if (auto* session = static_cast<Session*>(context.session)) {
        Value found;
        if (session->lookupFunction(name_, found)) return callFunction(found.function(), context, arguments);
    }
    throw UserError(fmt::format("The function or procedure '{}' is not defined. RefId: S06004", name_), hint_);
}

}  // namespace pelorus
