// A function of the script made of a lambda, for what calls functions.
#pragma once

#include <functional>
#include <utility>

#include "runtime/function/function.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "tests/unit/stdlib/called.h"

namespace pelorus::testing {

class LambdaFunction final : public Function {
public:
    using Body = std::function<Value(std::span<Value>)>;
    explicit LambdaFunction(Body body, size_t parameters = 1) : body_(std::move(body)) {
        for (size_t i = 0; i < parameters; ++i) signature_.parameters.push_back({.name = "x"});
    }
    std::string_view name() const override { return "lambda"; }
    const Signature& signature() const override { return signature_; }
    Value call(Context&, std::span<Value> arguments) const override { return body_(arguments); }
    std::string_view portableKind() const override { return ""; }
    Value save() const override { return {}; }

private:
    Body body_;
    Signature signature_;
};

// Makes a function of a point that gives a number.
inline Ref<Function> functionOfPoint(std::function<double(const std::vector<double>&)> f) {
    return makeRef<LambdaFunction>([f = std::move(f)](std::span<Value> a) {
        return Value::ofDouble(f(a[0].isScalar() ? std::vector{a[0].asDouble()} : elementsOf(a[0])));
    });
}

// A context without a session.
struct TestContext {
    Services services;
    Request request{std::make_shared<const Principal>("user", Principal::Powers{})};
    Context context{services, request};
};

// Calls a built-in with these arguments alone: those behind them are left out.
inline Value calledWith(std::string_view name, std::vector<Value> arguments) {
    (void)called("abs", {Value::ofInt(1)});  // fills the registry
    TestContext test;
    return FunctionRegistry::instance().get(name).call(test.context, arguments);
}
inline std::string refusalWith(std::string_view name, std::vector<Value> arguments) {
    try {
        calledWith(name, std::move(arguments));
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

inline Value tupleOf(std::vector<Value> elements) {
    return Value::of(makeRef<Tuple>(std::move(elements)));
}
inline Value matrixValue(const std::vector<double>& cells, int64_t rows, int64_t columns) {
    return Value::of(makeRef<Matrix>(Vector::of(Type::Double, cells), rows, columns));
}
inline Value text(std::string_view s) {
    return Value::ofString(s);
}
// Returns a member of a dictionary.
inline Value memberOf(const Value& dictionary, std::string_view name) {
    return dictionary.dictionary().get(Value::ofString(name));
}
inline Value tableOf(const std::vector<std::string>& names, const std::vector<std::vector<double>>& columns) {
    std::vector<Value> values;
    for (const auto& column : columns) values.push_back(numbers(column));
    return Value::of(Ref<Table>(makeRef<MemoryTable>(names, values)));
}

}  // namespace pelorus::testing
