#include "stdlib/higher_order/iterated_states.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/check.h"
#include "runtime/registry/registry.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "stdlib/higher_order/states_of_function.h"

namespace pelorus {

namespace {

// A rule has begin(arguments), then value(i, row, before) for row i of a step, the row-th of its group, after a result
// `before` of the function over the group's earlier results; NULL at its first row.
template <class T, class Rule>
class IteratedStates final : public RollingStates {
public:
    IteratedStates(StatesOfFunction function, Rule rule, Type gives)
        : function_(std::move(function)), rule_(std::move(rule)), gives_(gives) {}

    void resize(int64_t groups) override {
        function_.states->resize(groups);
        before_.resize(static_cast<size_t>(groups), null<T>);
        rows_.resize(static_cast<size_t>(groups));
    }

    // Goes by rounds, each of at most one row a group, since a row needs the function's result of the one before it.
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        rule_.begin(arguments);
        Ref<Vector> out = Vector::make(naturalType<T>(), count);
        T* result = out->mutableData<T>();
        for (const std::vector<int32_t>& round : roundsOf(groups, count)) {
            std::vector<T> values;
            std::vector<int32_t> own;
            for (const int32_t i : round) {
                const auto group = static_cast<size_t>(groups[i]);
                result[i] = rule_.value(i, rows_[group]++, before_[group]);
                values.push_back(result[i]);
                own.push_back(groups[i]);
            }
            const Value next = function_.step(Vector::of(naturalType<T>(), values), own.data());
            const Ref<Vector> before = cast(next.vector(), naturalType<T>());
            for (size_t k = 0; k < own.size(); ++k) before_[static_cast<size_t>(own[k])] = before->data<T>()[k];
        }
        return Value::of(gives_ == naturalType<T>() ? out : cast(*out, gives_));
    }

    void clear(const int32_t* groups, int64_t count) override {
        function_.states->clear(groups, count);
        for (int64_t i = 0; i < count; ++i) {
            before_[static_cast<size_t>(groups[i])] = null<T>;
            rows_[static_cast<size_t>(groups[i])] = 0;
        }
    }
    void keep(std::span<const int32_t> groups) override {
        function_.states->keep(groups);
        keepGroups(before_, groups);
        keepGroups(rows_, groups);
    }
    int64_t memoryBytes() const override {
        return function_.states->memoryBytes() + static_cast<int64_t>(before_.capacity() * 2 * sizeof(T));
    }

private:
    std::vector<std::vector<int32_t>> roundsOf(const int32_t* groups, int64_t count) {
        std::vector<std::vector<int32_t>> rounds;
        std::vector<int32_t> taken(rows_.size());
        for (int64_t i = 0; i < count; ++i) {
            const auto round = static_cast<size_t>(taken[static_cast<size_t>(groups[i])]++);
            if (round == rounds.size()) rounds.emplace_back();
            rounds[round].push_back(static_cast<int32_t>(i));
        }
        return rounds;
    }

    StatesOfFunction function_;
    Rule rule_;
    const Type gives_;
    std::vector<T> before_;      // the function's last result of each group
    std::vector<int64_t> rows_;  // of each group so far
};

// The elements of an argument, or the one value of all rows.
template <class T>
class Elements {
public:
    void read(const Value& given) {
        isScalar_ = given.isScalar();
        const Value v = isScalar_ ? Value::of(Vector::filled(given.type(), 1, given)) : given;
        vector_ = cast(v.vector(), naturalType<T>());
    }
    T operator[](int64_t i) const { return vector_->template data<T>()[isScalar_ ? 0 : i]; }

private:
    bool isScalar_ = false;
    Ref<Vector> vector_;
};

// trueValue where cond holds, else the function's result.
template <class T>
struct ConditionalRule {
    Elements<double> condition;
    Elements<T> given;
    void begin(std::span<const Value> arguments) {
        condition.read(arguments[0]);
        given.read(arguments[1]);
    }
    T value(int64_t i, int64_t, T before) const {
        const bool holds = !isNull(condition[i]) && condition[i] != 0;
        return holds ? given[i] : before;
    }
};

// `initial` in the first rows, then a * X + b * the function's result.
struct LinearRule {
    int64_t initialRows;
    double a, b;
    Elements<double> x = {}, initial = {};
    void begin(std::span<const Value> arguments) {
        x.read(arguments[0]);
        initial.read(arguments[1]);
    }
    double value(int64_t i, int64_t row, double before) const {
        if (row < initialRows) return initial[i];
        return isNull(x[i]) || isNull(before) ? null<double> : a * x[i] + b * before;
    }
};

// X while the window is not full, then the mean of X and of the window's results before it.
struct MeanRule {
    int64_t window;
    Elements<double> x = {};
    void begin(std::span<const Value> arguments) { x.read(arguments[0]); }
    double value(int64_t i, int64_t row, double before) const {
        if (row + 1 < window || isNull(x[i])) return x[i];
        if (window == 1 || isNull(before)) return x[i];
        return (x[i] + static_cast<double>(window - 1) * before) / static_cast<double>(window);
    }
};

// Returns no states for functions that do not give numbers, too.
StatesOfFunction iteratedOf(const Value& function, Type type) {
    StatesOfFunction result = statesOfFunction(function, type);
    if (!isNumeric(result.gives)) result.states.reset();
    return result;
}

bool isPlainNumber(Type type) {
    return isIntegral(type) || type == Type::Float || type == Type::Double;
}

}  // namespace

std::unique_ptr<RollingStates> conditionalStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kFunction = 2;
    const bool fits = types.size() > kFunction && isNumeric(types[0]) && isPlainNumber(types[1]);
    if (!fits) return nullptr;
    if (types[1] == Type::Float || types[1] == Type::Double) {
        StatesOfFunction f = iteratedOf(constants[kFunction], Type::Double);
        if (!f.states) return nullptr;
        using States = IteratedStates<double, ConditionalRule<double>>;
        return std::make_unique<States>(std::move(f), ConditionalRule<double>(), Type::Double);
    }
    StatesOfFunction f = iteratedOf(constants[kFunction], Type::Long);
    if (!f.states || isFloating(f.gives)) return nullptr;
    using States = IteratedStates<int64_t, ConditionalRule<int64_t>>;
    return std::make_unique<States>(std::move(f), ConditionalRule<int64_t>(), types[1]);
}

std::unique_ptr<RollingStates> linearStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kRows = 2, kFunction = 3, kCoefficients = 4;
    if (types.size() <= kCoefficients || !isPlainNumber(types[0]) || !isPlainNumber(types[1])) return nullptr;
    const Value &rows = constants[kRows], &coefficients = constants[kCoefficients];
    const bool isCount = rows.isScalar() && rows.isNumber() && !rows.isNull() && rows.asLong() >= 1;
    const bool arePair = coefficients.isTypedVector() && coefficients.size() == 2 && isPlainNumber(coefficients.type());
    if (!isCount || !arePair || coefficients.vector().hasNull()) return nullptr;
    StatesOfFunction f = iteratedOf(constants[kFunction], Type::Double);
    if (!f.states) return nullptr;
    const Ref<Vector> weights = cast(coefficients.vector(), Type::Double);
    LinearRule rule{rows.asLong(), weights->data<double>()[0], weights->data<double>()[1]};
    return std::make_unique<IteratedStates<double, LinearRule>>(std::move(f), rule, Type::Double);
}

std::unique_ptr<RollingStates> meanStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kWindow = 1;
    if (types.size() <= kWindow || !isPlainNumber(types[0])) return nullptr;
    const Value& window = constants[kWindow];
    if (!window.isScalar() || !isIntegral(window.type()) || window.isNull() || window.asLong() < 1) return nullptr;
    const BuiltinFunction* mean = FunctionRegistry::instance().find("mavg");
    CHECK(mean) << "stateMavg goes on with mavg of its results";
    const auto before = static_cast<int32_t>(std::clamp<int64_t>(window.asLong() - 1, 1, INT32_MAX));
    const Ref<Function> function =
        makeRef<PartialFunction>(Ref<Function>(const_cast<BuiltinFunction*>(mean)),
                                 std::vector<Value>{omitted(), Value::ofInt(before), Value::ofInt(1)});
    StatesOfFunction f = iteratedOf(Value::of(function), Type::Double);
    if (!f.states) return nullptr;
    return std::make_unique<IteratedStates<double, MeanRule>>(std::move(f), MeanRule{window.asLong()}, Type::Double);
}

}  // namespace pelorus
