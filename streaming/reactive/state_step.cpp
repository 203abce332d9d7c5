#include "streaming/reactive/state_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/expression/expression_program.h"
#include "interpreter/vm/vm.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

void addResult(StepColumns& columns, Value result, int64_t rows) {
    // Several results are a tuple of columns; a tuple of scalars is one column whose elements are NULL so far.
    const auto isColumn = [&](const Value& part) { return part.isVector() && part.size() == rows; };
    const bool isSeveral = result.isTuple() && result.tuple().kind == TupleKind::Plain &&
                           std::all_of(result.tuple().elements.begin(), result.tuple().elements.end(), isColumn);
    if (isSeveral) {
        for (const Value& part : result.tuple().elements) addResult(columns, part, rows);
        return;
    }
    if (result.isScalar()) result = filledColumn(result.type(), result.extra(), rows, result);
    if (!result.isVector() || result.size() != rows)
        throw UserError(fmt::format("A metric must give one element for each of {} rows, but it gave {}.", rows,
                                    typeString(result)));
    columns.push_back(std::move(result));
}

class ExpressionStep final : public StateStep {
public:
    ExpressionStep(ExpressionProgram expression, std::string text)
        : expression_(std::move(expression)), text_(std::move(text)) {}

    void resize(int64_t) override {}
    void run(Context& context, StepColumns& columns, const int32_t*, int64_t rows) override {
        std::vector<Value> read;
        for (const int c : expression_.columns()) read.push_back(columns[static_cast<size_t>(c)]);
        addResult(columns, expression_.evaluate(context, read, rows), rows);
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
        addResult(columns, states_->step(call, keys, rows), rows);
    }
    void clear(const int32_t* keys, int64_t count) override { states_->clear(keys, count); }
    int64_t memoryBytes() const override { return states_->memoryBytes(); }
    std::string describe() const override { return "roll " + text_; }

private:
    const std::unique_ptr<RollingStates> states_;
    const std::vector<StepArgument> arguments_;
    const std::string text_;
};

// The last rows of each key, one vector per column that the function reads.
class KeptStep final : public StateStep {
public:
    KeptStep(Ref<Function> function, int64_t reach, std::vector<StepArgument> arguments, std::string text)
        : function_(std::move(function)), reach_(reach), arguments_(std::move(arguments)), text_(std::move(text)) {
        for (const StepArgument& argument : arguments_)
            read_.insert(read_.end(), argument.columns.begin(), argument.columns.end());
        std::sort(read_.begin(), read_.end());
        read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
    }

    void resize(int64_t keys) override { kept_.resize(static_cast<size_t>(keys)); }

    void run(Context& context, StepColumns& columns, const int32_t* keys, int64_t rows) override {
        if (rows == 0) return addTypes(context, columns);
        // The rows of each key, in their order.
        std::vector<int32_t> order(static_cast<size_t>(rows));
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return keys[a] < keys[b]; });
        StepColumns results;  // in that order
        std::vector<int32_t> place(order.size());
        for (size_t begin = 0; begin < order.size();) {
            const int32_t key = keys[order[begin]];
            size_t end = begin;
            while (end < order.size() && keys[order[end]] == key) ++end;
            addResults(results, ofKey(context, columns, key, {order.data() + begin, end - begin}));
            begin = end;
        }
        for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
        for (const Value& result : results) columns.push_back(gatherElements(result, place.data(), rows));
    }

    void clear(const int32_t* keys, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) kept_[static_cast<size_t>(keys[i])].clear();
    }
    int64_t memoryBytes() const override {
        constexpr int64_t kBytesOfElement = 8;
        return static_cast<int64_t>(kept_.size()) * reach_ * static_cast<int64_t>(read_.size()) * kBytesOfElement;
    }
    std::string describe() const override { return fmt::format("kept {} rows: {}", reach_, text_); }

private:
    void addCall(Context& context, StepColumns& to, const StepColumns& from, int64_t rows) const {
        std::vector<Value> call;
        for (const StepArgument& argument : arguments_) call.push_back(argument.of(from));
        addResult(to, callFunction(*function_, context, call), rows);
    }

    // Adds the results without rows: a call over some values shows their types, since one over none need not.
    void addTypes(Context& context, StepColumns& columns) {
        constexpr int64_t kMostRows = 1000;
        const int64_t rows = std::min(reach_, kMostRows) + 1;
        StepColumns some(columns.size()), results;
        for (const int c : read_) {
            const Value& column = columns[static_cast<size_t>(c)];
            const Type type = columnType(column);
            const Value element = isNumeric(type) ? cast(Value::ofInt(1), type) : Value();
            some[static_cast<size_t>(c)] = filledColumn(type, column.extra(), rows, element);
        }
        addCall(context, results, some, rows);
        types_.clear();
        for (const Value& result : results) {
            types_.push_back({"", columnType(result), result.extra(), ""});
            columns.push_back(lastOf(result, 0));
        }
    }

    // Returns the results for new rows of one key, and keeps the last rows.
    StepColumns ofKey(Context& context, const StepColumns& columns, int32_t key, std::span<const int32_t> fresh) {
        std::vector<Value>& kept = kept_[static_cast<size_t>(key)];
        const auto count = static_cast<int64_t>(fresh.size());
        StepColumns all(columns.size());
        int64_t rows = 0;
        for (size_t k = 0; k < read_.size(); ++k) {
            Value& column = all[static_cast<size_t>(read_[k])];
            const Value added = gatherElements(columns[static_cast<size_t>(read_[k])], fresh.data(), count);
            if (kept.empty()) {
                column = added;
            } else {
                column = kept[k];
                appendElements(column, added);
            }
            rows = column.size();
        }
        StepColumns results;
        addCall(context, results, all, rows);
        // A call whose windows are all incomplete may give NULLs of another type.
        for (size_t i = 0; i < results.size(); ++i) results[i] = asColumn(lastOf(results[i], count), types_[i]);
        kept.clear();
        for (const int c : read_) kept.push_back(lastOf(all[static_cast<size_t>(c)], std::min(rows, reach_)));
        return results;
    }

    static Value asColumn(const Value& result, const ColumnSchema& type) {
        if (!result.isTuple() || type.type == Type::Any)
            return castForStorage(result, type.type, type.name, type.scale);
        Value column = filledColumn(type.type, type.scale, result.size());
        for (int64_t i = 0; i < result.size(); ++i) {
            const Value element = result.at(i);
            if (!element.isVoid()) column.vector().set(i, castFitting(element, type.type, type.scale, type.name));
        }
        return column;
    }

    static Value lastOf(const Value& column, int64_t count) {
        std::vector<int64_t> rows(static_cast<size_t>(count));
        for (int64_t i = 0; i < count; ++i) rows[static_cast<size_t>(i)] = column.size() - count + i;
        return gatherElements(column, rows.data(), count);
    }

    static void addResults(StepColumns& to, StepColumns from) {
        if (to.empty()) {
            to = std::move(from);
            return;
        }
        for (size_t i = 0; i < to.size(); ++i) appendElements(to[i], from[i]);
    }

    const Ref<Function> function_;
    const int64_t reach_;
    const std::vector<StepArgument> arguments_;
    const std::string text_;
    std::vector<int> read_;                 // the columns that are kept
    TableSchema types_;                     // of the results
    std::vector<std::vector<Value>> kept_;  // by key; empty before its first row
};

}  // namespace

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

std::unique_ptr<StateStep> makeKeptStep(Ref<Function> function, int64_t reach, std::vector<StepArgument> arguments,
                                        std::string text) {
    return std::make_unique<KeptStep>(std::move(function), reach, std::move(arguments), std::move(text));
}

}  // namespace pelorus
