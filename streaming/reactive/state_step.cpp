#include "streaming/reactive/state_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "common/error.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/kernel/rolling/calling_states.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
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
        if (rows == 0) return addTypes(context, columns, read);
        StepColumns results;
        addStepResult(results, expression_.evaluate(context, read, rows), rows);
        if (results.size() != types_.size())
            throw UserError(fmt::format("{} gave {} results, but {} before.", text_, results.size(), types_.size()));
        for (size_t i = 0; i < results.size(); ++i) columns.push_back(asStepColumn(results[i], types_[i]));
    }
    void clear(const int32_t*, int64_t) override {}
    void keep(std::span<const int32_t>) override {}
    int64_t memoryBytes() const override { return 0; }
    std::string describe() const override { return "program " + text_; }

private:
    // Adds the results without rows. What they are without rows need not be what they are otherwise, as with each(f,
    // x): a made-up row shows it.
    void addTypes(Context& context, StepColumns& columns, const std::vector<Value>& read) {
        Value result;
        std::exception_ptr refusal;
        try {
            result = expression_.evaluate(context, read, 0);
        } catch (const UserError&) {
            refusal = std::current_exception();
        }
        StepColumns results;
        if (!refusal && isTyped(result)) {
            addStepResult(results, result, 0);
        } else {
            std::vector<Value> one;
            for (const Value& column : read) one.push_back(madeUpColumn(column, 1));
            try {
                addStepResult(results, expression_.evaluate(context, one, 1), 1);
            } catch (const UserError&) {
                if (refusal) std::rethrow_exception(refusal);
                throw;
            }
        }
        const int32_t none = 0;
        for (const Value& column : results) {
            types_.push_back({"", columnType(column), column.extra(), ""});
            columns.push_back(gatherElements(column, &none, 0));
        }
    }

    static bool isTyped(const Value& result) {
        if (!result.isTuple()) return !result.isVoid() && result.type() != Type::Void;
        const auto& parts = result.tuple().elements;
        return !parts.empty() && std::all_of(parts.begin(), parts.end(), isTyped);
    }

    const ExpressionProgram expression_;
    const std::string text_;
    TableSchema types_;  // of the results
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
    void keep(std::span<const int32_t> keys) override { states_->keep(keys); }
    int64_t memoryBytes() const override { return states_->memoryBytes(); }
    std::string describe() const override { return "roll " + text_; }

private:
    const std::unique_ptr<RollingStates> states_;
    const std::vector<StepArgument> arguments_;
    const std::string text_;
};

class CallingStep final : public StateStep {
public:
    CallingStep(std::function<std::unique_ptr<RollingStates>()> make, std::vector<StepArgument> arguments,
                std::string text)
        : make_(std::move(make)), states_(make_()), arguments_(std::move(arguments)), text_(std::move(text)) {}

    void resize(int64_t keys) override { states_->resize(keys); }
    void run(Context& context, StepColumns& columns, const int32_t* keys, int64_t rows) override {
        if (rows == 0) return addType(context, columns);
        const std::vector<Value> results = states_->asCalling()->stepCalling(context, argumentsOf(columns), keys, rows);
        Value column = filledColumn(type_.type, type_.scale, 0);
        for (const Value& result : results) {
            if (!result.isScalar())
                throw UserError(
                    fmt::format("{} must give a scalar for each row, but it gave {}.", text_, typeString(result)));
            column.vector().append(result.isVoid() ? result : castFitting(result, type_.type, type_.scale, text_));
        }
        columns.push_back(std::move(column));
    }
    void clear(const int32_t* keys, int64_t count) override { states_->clear(keys, count); }
    void keep(std::span<const int32_t> keys) override { states_->keep(keys); }
    int64_t memoryBytes() const override { return states_->memoryBytes(); }
    std::string describe() const override { return "call for each row: " + text_; }
    bool isSlow() const override { return true; }

private:
    std::vector<Value> argumentsOf(const StepColumns& columns) const {
        std::vector<Value> call;
        for (const StepArgument& argument : arguments_) call.push_back(argument.of(columns));
        return call;
    }
    // Adds the result without rows; the second of two made-up rows shows its type.
    void addType(Context& context, StepColumns& columns) {
        constexpr int64_t kRows = 2;
        StepColumns some;
        for (const Value& column : columns) some.push_back(madeUpColumn(column, kRows));
        const std::unique_ptr<RollingStates> states = make_();
        states->resize(1);
        const std::vector<int32_t> keys(kRows);
        const Value last = states->asCalling()->stepCalling(context, argumentsOf(some), keys.data(), kRows).back();
        if (!last.isScalar() || last.type() == Type::Any)
            throw UserError(
                fmt::format("{} must give a scalar for each row, but it gave {}.", text_, typeString(last)));
        type_ = {"", last.type(), isDecimal(last.type()) ? static_cast<uint8_t>(last.extra()) : uint8_t{0}, ""};
        columns.push_back(filledColumn(type_.type, type_.scale, 0));
    }

    const std::function<std::unique_ptr<RollingStates>()> make_;
    const std::unique_ptr<RollingStates> states_;
    const std::vector<StepArgument> arguments_;
    const std::string text_;
    ColumnSchema type_;  // of the results
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

Value madeUpColumn(const Value& column, int64_t rows) {
    constexpr int64_t kElements = 10;  // as many as the levels of an order book
    const Type type = columnType(column);
    const auto one = [&](Type of) {
        if (isLiteral(of)) return Value::ofString("a");
        const bool isNumber = (isNumeric(of) || isTemporal(of)) && canCast(Type::Int, of);
        return isNumber ? cast(Value::ofInt(1), of) : Value();
    };
    if (!isArrayType(type)) return filledColumn(type, column.extra(), rows, one(type));
    const Value elements = filledColumn(elementTypeOf(type), column.extra(), kElements, one(elementTypeOf(type)));
    auto result = makeRef<ArrayVector>(elementTypeOf(type), column.extra());
    for (int64_t i = 0; i < rows; ++i) result->appendRow(elements.vector());
    return Value::of(std::move(result));
}

Value asStepColumn(const Value& result, const ColumnSchema& column) {
    if (columnType(result) == column.type) return result;
    if (!result.isTuple() || column.type == Type::Any)
        return castForStorage(result, column.type, column.name, column.scale);
    Value typed = filledColumn(column.type, column.scale, result.size());
    for (int64_t i = 0; i < result.size(); ++i) {
        const Value element = result.at(i);
        if (!element.isVoid()) typed.vector().set(i, castFitting(element, column.type, column.scale, column.name));
    }
    return typed;
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

std::unique_ptr<StateStep> makeCallingStep(std::function<std::unique_ptr<RollingStates>()> make,
                                           std::vector<StepArgument> arguments, std::string text) {
    return std::make_unique<CallingStep>(std::move(make), std::move(arguments), std::move(text));
}

std::unique_ptr<StateStep> makeRollingStep(std::unique_ptr<RollingStates> states, std::vector<StepArgument> arguments,
                                           std::string text) {
    return std::make_unique<RollingStep>(std::move(states), std::move(arguments), std::move(text));
}

}  // namespace pelorus
