// stateMavg.
#include "common/error.h"
#include "stdlib/arguments.h"
#include "stdlib/higher_order/iterated_states.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// stateMavg(X, window)
Value stateMavgKernel(Context& context, Arguments a) {
    const Ref<Vector> x = vectorArgument(a, 0, "X");
    if (integerArgument(a, 1, "window") < 1) refuseArgument(1, "window", "1 or more", a[1]);
    const std::vector<Type> types = {x->type(), a[1].type()};
    const std::unique_ptr<RollingStates> states = meanStates(types, a);
    if (!states) refuseArgument(0, "X", "a vector of numbers", a[0]);
    states->resize(1);
    Ref<Vector> results = Vector::make(Type::Double, 0);
    // A row is a round of its own: pieces keep the rounds few.
    constexpr int64_t kPiece = 4096;
    const std::vector<int32_t> groups(static_cast<size_t>(std::min(x->size(), kPiece)));
    for (int64_t from = 0; from < x->size(); from += kPiece) {
        context.checkCancelled();
        const int64_t count = std::min(kPiece, x->size() - from);
        std::vector<Value> step(a.begin(), a.end());
        step[0] = Value::of(x->slice(from, count));
        results->append(states->step(step, groups.data(), count).vector(), 0, count);
    }
    return Value::of(results);
}

}  // namespace

void registerStateMean(FunctionRegistry& registry) {
    registry.add("stateMavg(X, window)", stateMavgKernel,
                 {.summary = "A moving mean of its own results: X in the first window - 1 rows, then the mean of X and "
                             "of the window - 1 results before it, as DOUBLE.",
                  .parameters = "X: a vector of numbers\nwindow: rows, from 1",
                  .nulls = "NULL of X gives NULL, and counts as the mean of the other results in later windows.",
                  .errors = "X holds no numbers; window is below 1.",
                  .complexity = "O(rows)",
                  .example = "stateMavg(2.0 6 8 10, 3) -> [2,6,5.333333,7.111111]"},
                 {.gives = is(Type::Double), .orderSensitive = true, .rolling = meanStates});
}

}  // namespace pelorus
