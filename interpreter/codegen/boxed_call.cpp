#include "interpreter/codegen/boxed_call.h"

#include <array>
#include <exception>

#include "runtime/function/context.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/registry/registry.h"

namespace pelorus {

bool BoxedCall::run(const int64_t* slots, int64_t* given, Context& context) const {
    try {
        std::array<Value, kMaxArguments> values;
        const size_t count = arguments.size();
        for (size_t i = 0; i < count; ++i) {
            const Type type = arguments[i].type();
            switch (sources[i]) {
                case Source::Constant:
                    values[i] = arguments[i];
                    break;
                case Source::Slot:
                    values[i].assignScalar(type, *slots++);
                    break;
                default:
                    scalarSupport.assignRange(&values[i], static_cast<int32_t>(type), slots[0], slots[1],
                                              sources[i] == Source::Sequence);
                    slots += 2;
            }
        }
        const Value answer = function     ? function->call(context, {values.data(), count})
                             : count == 2 ? applyBinary(op, values[0], values[1])
                                          : applyUnary(op, values[0]);
        if (answer.tagWord() != scalarTag(result)) return false;
        *given = answer.integer();
        return true;
    } catch (const std::exception&) {
        return false;  // machine code cannot pass errors on
    }
}

}  // namespace pelorus
