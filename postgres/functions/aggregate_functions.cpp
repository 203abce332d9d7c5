// Aggregates that the engine has in no form of PostgreSQL's: strings and arrays of a group's values, percentiles.
#include "postgres/functions/postgres_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/sql_error.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

int64_t countOf(Arguments arguments) {
    if (arguments.empty()) throw UserError("A column is needed here.");
    return arguments[0].isScalar() ? 1 : arguments[0].size();
}

Value itemOf(const Value& column, int64_t i) {
    if (column.isScalar()) return column;
    if (!column.isTypedVector() || i >= column.size()) throw UserError("Columns of one length are needed here.");
    return column.at(i);
}

// Orders values of one type; NULLs are equal. Negative: a is before b.
int compared(const Value& a, const Value& b) {
    if (a.isString() && b.isString()) return textOfValue(a).compare(textOfValue(b));
    if (a.type() == Type::Double || a.type() == Type::Float || isDecimal(a.type())) {
        const double x = a.asDouble(), y = b.asDouble();
        return x < y ? -1 : x > y ? 1 : 0;
    }
    const int64_t x = a.asLong(), y = b.asLong();
    return x < y ? -1 : x > y ? 1 : 0;
}

// Returns the rows in the order of keys: pairs of a column, and 0 to 3: descending is 1, NULLs first 2.
std::vector<int64_t> orderedRows(Arguments arguments, size_t firstKey) {
    std::vector<int64_t> rows(static_cast<size_t>(countOf(arguments)));
    std::iota(rows.begin(), rows.end(), 0);
    if (arguments.size() <= firstKey) return rows;
    std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
        for (size_t k = firstKey; k + 1 < arguments.size(); k += 2) {
            const int64_t how = wholeArgument(arguments, k + 1);
            const Value x = itemOf(arguments[k], a), y = itemOf(arguments[k], b);
            if (x.isNull() || y.isNull()) {
                if (x.isNull() == y.isNull()) continue;
                return x.isNull() == ((how & 2) != 0);
            }
            const int order = compared(x, y);
            if (order != 0) return (order < 0) == ((how & 1) == 0);
        }
        return false;
    });
    return rows;
}

// pgStringAgg(rows, x, separator, isDistinct, key, how, …): `rows` is any column, by which a constant x is repeated.
Value stringAggregate(Context&, Arguments arguments) {
    if (arguments.size() < 4) throw UserError("pgStringAgg takes two columns, a separator and a flag.");
    std::string text;
    bool isAny = false;
    const bool isDistinct = wholeArgument(arguments, 3) != 0;
    std::vector<std::string> seen;
    for (const int64_t row : orderedRows(arguments, 4)) {
        const Value item = itemOf(arguments[1], row);
        if (item.isNull()) continue;
        if (!item.isString()) throw UserError("pgStringAgg takes texts.");
        const std::string piece(textOfValue(item));
        if (isDistinct) {
            if (std::find(seen.begin(), seen.end(), piece) != seen.end()) continue;
            seen.push_back(piece);
        }
        const Value separator = itemOf(arguments[2], row);
        if (isAny && !separator.isNull()) text += textOfValue(separator);
        text += piece;
        isAny = true;
    }
    return isAny ? textValue(text) : Value::nullOf(Type::String);
}

// pgArrayAgg(rows, x, oid, key, how, …)
Value arrayAggregate(Context&, Arguments arguments) {
    if (arguments.size() < 3) throw UserError("pgArrayAgg takes two columns and a type.");
    const auto type = static_cast<Oid>(wholeArgument(arguments, 2));
    std::vector<ArrayItem> items;
    for (const int64_t row : orderedRows(arguments, 3)) {
        const Value item = itemOf(arguments[1], row);
        items.push_back(item.isNull() ? ArrayItem() : ArrayItem(textForm(item, type, -1)));
    }
    return items.empty() ? Value::nullOf(Type::String) : textValue(arrayText(items));
}

double fractionArgument(Arguments arguments) {
    if (arguments.size() < 2 || !arguments[1].isScalar()) throw UserError("A fraction is needed here.");
    const double fraction = arguments[1].asDouble();
    if (!(fraction >= 0 && fraction <= 1)) throw SqlError("2201F", "percentile value is not between 0 and 1");
    return fraction;
}

// pgPercentileCont(x, fraction)
Value continuousPercentile(Context&, Arguments arguments) {
    std::vector<double> values;
    for (int64_t i = 0; i < countOf(arguments); ++i)
        if (const Value item = itemOf(arguments[0], i); !item.isNull()) values.push_back(item.asDouble());
    if (values.empty()) return Value::nullOf(Type::Double);
    const double place = fractionArgument(arguments) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(place);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(values.begin(), at, values.end());
    const double low = *at;
    const double part = place - static_cast<double>(below);
    if (part == 0) return Value::ofDouble(low);
    return Value::ofDouble(low + part * (*std::min_element(at + 1, values.end()) - low));
}

// pgPercentileDisc(x, fraction)
Value discretePercentile(Context&, Arguments arguments) {
    std::vector<Value> values;
    for (int64_t i = 0; i < countOf(arguments); ++i)
        if (Value item = itemOf(arguments[0], i); !item.isNull()) values.push_back(std::move(item));
    const double fraction = fractionArgument(arguments);
    if (values.empty()) return Value::nullOf(arguments[0].type());
    std::stable_sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return compared(a, b) < 0; });
    const double place = std::ceil(fraction * static_cast<double>(values.size())) - 1;
    return values[static_cast<size_t>(std::max(place, 0.0))];
}

// pgMode(x): the most frequent value, the smallest of several.
Value mostFrequent(Context&, Arguments arguments) {
    std::vector<Value> values;
    for (int64_t i = 0; i < countOf(arguments); ++i)
        if (Value item = itemOf(arguments[0], i); !item.isNull()) values.push_back(std::move(item));
    if (values.empty()) return Value::nullOf(arguments[0].type());
    std::stable_sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return compared(a, b) < 0; });
    size_t best = 0, bestCount = 0;
    for (size_t i = 0; i < values.size();) {
        size_t end = i + 1;
        while (end < values.size() && compared(values[i], values[end]) == 0) ++end;
        if (end - i > bestCount) {
            best = i;
            bestCount = end - i;
        }
        i = end;
    }
    return values[best];
}

// The engine keeps the string of an error alone: its state goes into it.
template <Kernel kKernel>
Value withStates(Context& context, Arguments arguments) {
    try {
        return kKernel(context, arguments);
    } catch (const SqlError& error) {
        throw UserError(withState(error));
    }
}

void add(FunctionRegistry& registry, const char* syntax, Kernel kernel, TypeRule gives, const char* summary,
         bool isOrdered) {
    Declaration declaration;
    declaration.kind = FunctionKind::Aggregate;
    declaration.effect = Effect::Pure;
    declaration.facet = Facet::Node;
    declaration.orderSensitive = isOrdered;
    declaration.gives = gives;
    registry.add(syntax, kernel, {.summary = summary}, declaration);
}

}  // namespace

void registerAggregateFunctions(FunctionRegistry& registry) {
    add(registry, "pgStringAgg(x...)", withStates<stringAggregate>, is(Type::String),
        "The texts of a group with a separator between.", true);
    add(registry, "pgArrayAgg(x...)", withStates<arrayAggregate>, is(Type::String),
        "The values of a group as the text of an array.", true);
    add(registry, "pgPercentileCont(x, fraction)", withStates<continuousPercentile>, is(Type::Double),
        "The interpolated percentile.", false);
    add(registry, "pgPercentileDisc(x, fraction)", withStates<discretePercentile>, same(0),
        "The value at the percentile.", false);
    add(registry, "pgMode(x)", withStates<mostFrequent>, same(0), "The most frequent value.", false);
}

}  // namespace pelorus::postgres
