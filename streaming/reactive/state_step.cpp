#include "streaming/reactive/state_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

class ExpressionStep final : public StateStep {
public:
    ExpressionStep(ExpressionProgram expression, std::string text)
        : expression_(std::move(expression)), text_(std::move(text)) {}

    void resize(int64_t) override {}
    void run(Context& context, StepColumns& columns, const int32_t*, int64_t rows) override {
        std::vector<Value> read;
        for (const int c : expression_.columns()) read.push_back(columns[static_cast<size_t>(c)]);
        addStepResult(columns, expression_.evaluate(context, read, rows), rows);
    }
    void clear(const int32_t*, int64_t) override {}
    int64_t memoryBytes() const override { return 0; }
    std::string describe() const override { return "program " + text_; }

private:
    const ExpressionProgram expression_;
    const std::string text_;
};

class RollingStep final : public StateStep {
public:
    RollingStep(std::unique_ptr<RollingStates> states, std::vector<StepArgument> arguments, std::string text)
        : states_(std::move(states)), arguments_(std::move(arguments)), text_(std::move(text)) {}

    void resize(int64_t keys) override { states_->resize(keys); }
    void run(Context&, StepColumns& columns, const int32_t* keys, int64_t rows) override {
        std::vector<Value> call;
        for (const StepArgument& argument : arguments_) call.push_back(argument.of(columns));
        addStepResult(columns, states_->step(call, keys, rows), rows);
    }
    void clear(const int32_t* keys, int64_t count) override { states_->clear(keys, count); }
    int64_t memoryBytes() const override { return states_->memoryBytes(); }
    std::string describe() const override { return "roll " + text_; }

private:
    const std::unique_ptr<RollingStates> states_;
    const std::vector<StepArgument> arguments_;
    const std::string text_;
};

}  // namespace

void addStepResult(StepColumns& columns, Value result, int64_t rows) {
    // Several results are a tuple of columns; a tuple of scalars is one column whose elements are NULL so far.
    const auto isColumn = [&](const Value& part) { return part.isVector() && part.size() == rows; };
    const bool isSeveral = result.isTuple() && result.tuple().kind == TupleKind::Plain &&
                           std::all_of(result.tuple().elements.begin(), result.tuple().elements.end(), isColumn);
    if (isSeveral) {
        for (const Value& part : result.tuple().elements) addStepResult(columns, part, rows);
        return;
    }
    if (result.isScalar()) result = filledColumn(result.type(), result.extra(), rows, result);
    if (!result.isVector() || result.size() != rows)
        throw UserError(fmt::format("A metric must give one element for each of {} rows, but it gave {}.", rows,
                                    typeString(result)));
    columns.push_back(std::move(result));
}

Value StepArgument::of(const StepColumns& all) const {
    if (columns.empty()) return constant;
    if (!isTuple) return all[static_cast<size_t>(columns[0])];
    std::vector<Value> parts;
    for (const int c : columns) parts.push_back(all[static_cast<size_t>(c)]);
    return Value::of(makeRef<Tuple>(std::move(parts)));
}

std::unique_ptr<StateStep> makeExpressionStep(ExpressionProgram expression, std::string text) {
    return std::make_unique<ExpressionStep>(std::move(expression), std::move(text));
}

std::unique_ptr<StateStep> makeRollingStep(std::unique_ptr<RollingStates> states, std::vector<StepArgument> arguments,
                                           std::string text) {
    return std::make_unique<RollingStep>(std::move(states), std::move(arguments), std::move(text));
}

}  // namespace pelorus
