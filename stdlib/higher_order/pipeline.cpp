// pipeline: tasks of several steps.
#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/value/vector.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

std::vector<Value> functionsArgument(Arguments arguments, size_t i, std::string_view name) {
    if (arguments[i].isFunction()) return {arguments[i]};
    std::vector<Value> functions;
    for (int64_t k = 0; !arguments[i].isScalar() && k < arguments[i].size(); ++k) {
        functions.push_back(arguments[i].at(k));
        if (!functions.back().isFunction()) refuseArgument(i, name, "functions", arguments[i]);
    }
    if (functions.empty()) refuseArgument(i, name, "functions", arguments[i]);
    return functions;
}

// A step of a task follows the step before of the same task, and the same step of the task before: so does this order.
Value pipelineKernel(Context& context, Arguments arguments) {
    const std::vector<Value> tasks = functionsArgument(arguments, 0, "initTasks");
    const std::vector<Value> followers = functionsArgument(arguments, 1, "followers");
    if (integerArgument(arguments, 2, "queueDepth", 2) < 1) throw UserError(2, "queueDepth must be at least 1.");
    std::vector<Value> results;
    bool any = false;
    for (const Value& task : tasks) {
        context.checkCancelled();
        Value value = task.function().call(context, {});
        for (const Value& follower : followers) {
            Value given[] = {std::move(value)};
            value = follower.function().call(context, given);
        }
        any |= !value.isVoid();
        results.push_back(std::move(value));
    }
    return any ? Value::of(makeRef<Tuple>(std::move(results))) : Value();
}

}  // namespace

void registerPipeline(FunctionRegistry& registry) {
    registry.add("pipeline(initTasks, followers, [queueDepth=2])", pipelineKernel,
                 {.summary = "Runs tasks of several steps: each function of initTasks, and the followers on what the "
                             "step before gave. A tuple of the last results, when there are any.",
                  .parameters = "queueDepth: accepted; the steps follow each other, so that nothing waits",
                  .errors = "A step fails.",
                  .example = "pipeline([def(): 1, def(): 2], [def(x): x * 10, def(x): x + 1]) -> (11,21)"});
}

}  // namespace pelorus
