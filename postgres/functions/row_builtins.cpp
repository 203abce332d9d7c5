#include "postgres/functions/row_builtins.h"

#include <algorithm>
#include <string>
#include <vector>

#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "runtime/value/decimal.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kRowsBetweenChecks = 65'536;

int scaleOf(const RowFunction& function, Arguments arguments) {
    if (function.scaleArgument < 0) return 0;
    return static_cast<int>(std::clamp<int64_t>(wholeArgument(arguments, static_cast<size_t>(function.scaleArgument)),
                                                0, decimal::kMaxScale));
}

Value computeOne(const RowFunction& function, std::span<const Value> arguments) {
    if (function.isStrict &&
        std::any_of(arguments.begin(), arguments.end(), [](const Value& x) { return x.isNull() && !isOmitted(x); }))
        return Value();
    try {
        return function.compute(arguments);
    } catch (const SqlError& error) {
        // The engine, and the way between nodes, keep the string of an error alone.
        throw UserError(withState(error));
    }
}

}  // namespace

Value applyRows(const RowFunction& function, Context& context, Arguments arguments) {
    int64_t rows = -1;
    for (const Value& argument : arguments) {
        if (argument.isScalar()) continue;
        if (!argument.isTypedVector() || (rows >= 0 && argument.size() != rows))
            throw UserError(std::string(function.syntax) + " takes scalars and vectors of one length.");
        rows = argument.size();
    }
    if (rows < 0) {
        Value value = computeOne(function, arguments);
        if (!value.isVoid()) return value;
        value = Value::nullOf(function.result);
        if (isDecimal(function.result)) value.setExtra(static_cast<uint8_t>(scaleOf(function, arguments)));
        return value;
    }
    Ref<Vector> out = Vector::make(function.result, rows);
    if (isDecimal(function.result)) out->setScale(static_cast<uint8_t>(scaleOf(function, arguments)));
    std::vector<Value> row(arguments.begin(), arguments.end());
    for (int64_t i = 0; i < rows; ++i) {
        if (i % kRowsBetweenChecks == 0) context.checkCancelled();
        for (size_t k = 0; k < row.size(); ++k)
            if (!arguments[k].isScalar()) row[k] = arguments[k].at(i);
        out->set(i, computeOne(function, row));
    }
    return Value::of(out);
}

void registerRowFunction(FunctionRegistry& registry, const RowFunction& function, Kernel kernel) {
    Declaration declaration;
    declaration.kind = FunctionKind::Elementwise;
    declaration.effect = Effect::Pure;
    declaration.facet = Facet::Node;
    declaration.gives =
        function.scaleArgument < 0 ? is(function.result) : decimalOf(function.result, function.scaleArgument);
    registry.add(function.syntax, kernel, {.summary = function.summary}, declaration);
}

std::string_view textArgument(std::span<const Value> arguments, size_t i) {
    if (i >= arguments.size() || !arguments[i].isString())
        throw UserError(static_cast<int>(i), "A string is needed here.");
    return textOfValue(arguments[i]);
}

int64_t wholeArgument(std::span<const Value> arguments, size_t i) {
    if (i >= arguments.size() || !arguments[i].isScalar() ||
        !(isIntegral(arguments[i].type()) || arguments[i].type() == Type::Bool) || arguments[i].isNull())
        throw UserError(static_cast<int>(i), "A whole number is needed here.");
    return arguments[i].integer();
}

}  // namespace pelorus::postgres
