#include "postgres/translate/table_functions.h"

#include <algorithm>

#include "common/check.h"
#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/time_texts.h"
#include "postgres/sql_error.h"
#include "postgres/translate/function_calls.h"
#include "runtime/table/table.h"
#include "runtime/value/decimal.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

void requireRows(int64_t rows) {
    if (rows > kMaxFunctionRows)
        throw SqlError(sql_state::kProgramLimit, "generate_series gives at most 100,000,000 rows");
}

template <class T>
Value wholeSeries(std::span<const Value> arguments, Type type) {
    Ref<Vector> out = Vector::make(type, 0);
    if (std::any_of(arguments.begin(), arguments.end(), [](const Value& x) { return x.isNull(); }))
        return Value::of(out);
    const int64_t from = arguments[0].integer(), to = arguments[1].integer(),
                  step = arguments.size() > 2 ? arguments[2].integer() : 1;
    if (step == 0) throw SqlError(sql_state::kInvalidParameter, "step size cannot equal zero");
    if (step > 0 ? from > to : from < to) return Value::of(out);
    const auto rows = static_cast<int64_t>((static_cast<__int128>(to) - from) / step + 1);
    requireRows(rows);
    out = Vector::make(type, rows);
    T* data = out->mutableData<T>();
    for (int64_t i = 0; i < rows; ++i) data[i] = static_cast<T>(from + i * step);
    return Value::of(out);
}

Value timeSeries(std::span<const Value> arguments, Context&) {
    Ref<Vector> out = Vector::make(Type::NanoTimestamp, 0);
    if (std::any_of(arguments.begin(), arguments.end(), [](const Value& x) { return x.isNull(); }))
        return Value::of(out);
    const int64_t from = arguments[0].integer(), to = arguments[1].integer();
    const Interval step = intervalOf(arguments[2]);
    const int64_t next = addInterval(from, step, 1);
    if (next == from) throw SqlError(sql_state::kInvalidParameter, "step size cannot equal zero");
    const bool isUp = next > from;
    for (int64_t at = from; isUp ? at <= to : at >= to; at = addInterval(at, step, 1)) {
        requireRows(out->size());
        out->append(Value::scalar(Type::NanoTimestamp, at));
    }
    return Value::of(out);
}

Value numericSeries(std::span<const Value> arguments, int scale) {
    Ref<Vector> out = Vector::make(Type::Decimal128, 0);
    out->setScale(static_cast<uint8_t>(scale));
    if (std::any_of(arguments.begin(), arguments.end(), [](const Value& x) { return x.isNull(); }))
        return Value::of(out);
    __int128 from = decimal::rawOf(arguments[0]);
    const __int128 to = decimal::rawOf(arguments[1]), step = decimal::rawOf(arguments[2]);
    if (step == 0) throw SqlError(sql_state::kInvalidParameter, "step size cannot equal zero");
    for (; step > 0 ? from <= to : from >= to; from += step) {
        requireRows(out->size());
        out->append(decimal::make(Type::Decimal128, from, scale));
    }
    return Value::of(out);
}

TableFunctionPlan planSeries(std::vector<Typed> arguments, int place, const ConversionHost& host) {
    TableFunctionPlan plan;
    if (arguments.size() < 2 || arguments.size() > 3) refuseFunction("generate_series", arguments, place);
    const bool areTimes = isInstantType(arguments[0].type) || isInstantType(arguments[1].type);
    if (areTimes) {
        if (arguments.size() != 3) refuseFunction("generate_series", arguments, place);
        const bool hasZone = arguments[0].type == oid::kTimestamptz || arguments[1].type == oid::kTimestamptz ||
                             arguments[0].type == oid::kDate;
        plan.type = hasZone ? oid::kTimestamptz : oid::kTimestamp;
        plan.kept = Type::NanoTimestamp;
        for (size_t i = 0; i < 2; ++i) {
            Typed x = convert(arguments[i], plan.type, -1, Conversion::Explicit, host);
            if (x.kept != Type::NanoTimestamp) x.code = callNode("pgTimestamp", {x.code});
            plan.arguments.push_back(std::move(x));
        }
        plan.arguments.push_back(convert(arguments[2], oid::kInterval, -1, Conversion::Implicit, host));
        plan.compute = timeSeries;
        return plan;
    }
    Oid type = typeOfAll(arguments, "generate_series", place);
    if (type == oid::kText) type = oid::kInt4;
    if (type == oid::kInt2) type = oid::kInt4;
    if (type == oid::kNumeric) {
        if (arguments.size() == 2) arguments.push_back(typedConstant(Value::ofInt(1), oid::kInt4));
        convertAll(arguments, "generate_series", place, host);
        plan.scale = arguments[0].scale;
        plan.compute = [scale = plan.scale](std::span<const Value> values, Context&) {
            return numericSeries(values, scale);
        };
    } else if (type == oid::kInt4 || type == oid::kInt8) {
        for (Typed& x : arguments) x = convert(x, type, -1, Conversion::Implicit, host);
        plan.compute =
            type == oid::kInt4
                ? +[](std::span<const Value> values, Context&) { return wholeSeries<int32_t>(values, Type::Int); }
                : +[](std::span<const Value> values, Context&) { return wholeSeries<int64_t>(values, Type::Long); };
    } else {
        refuseFunction("generate_series", arguments, place);
    }
    plan.type = type;
    plan.kept = oidFacts(type)->kept;
    plan.arguments = std::move(arguments);
    return plan;
}

TableFunctionPlan planUnnest(std::vector<Typed> arguments, int place, const ConversionHost&) {
    TableFunctionPlan plan;
    const OidFacts* facts = arguments.size() == 1 ? oidFacts(arguments[0].type) : nullptr;
    if (facts == nullptr || facts->category != 'A' || facts->element == 0) refuseFunction("unnest", arguments, place);
    const Oid element = facts->element;
    plan.type = element;
    plan.kept = oidFacts(element)->kept;
    plan.compute = [element](std::span<const Value> values, Context&) {
        const OidFacts* kept = oidFacts(element);
        Ref<Vector> out = Vector::make(kept->kept, 0);
        if (values[0].isNull()) return Value::of(out);
        for (const ArrayItem& item : arrayItems(textOfValue(values[0])))
            out->append(item ? parseText(*item, element, -1) : Value::nullOf(kept->kept));
        return Value::of(out);
    };
    plan.arguments = std::move(arguments);
    return plan;
}

// No table is a partition of another here, so none has ancestors.
TableFunctionPlan planAncestors(std::vector<Typed> arguments, int place, const ConversionHost& host) {
    TableFunctionPlan plan;
    if (arguments.size() != 1) refuseFunction("pg_partition_ancestors", arguments, place);
    plan.type = oid::kRegclass;
    plan.kept = oidFacts(plan.type)->kept;
    plan.arguments.push_back(convert(arguments[0], oid::kRegclass, -1, Conversion::Implicit, host));
    plan.compute = [kept = plan.kept](std::span<const Value>, Context&) { return Value::of(Vector::make(kept, 0)); };
    return plan;
}

}  // namespace

bool isTableFunction(const std::string& name) {
    return name == "generate_series" || name == "unnest" || name == "pg_partition_ancestors";
}

TableFunctionPlan planTableFunction(const std::string& name, std::vector<Typed> arguments, int place,
                                    const ConversionHost& host) {
    if (name == "generate_series") return planSeries(std::move(arguments), place, host);
    if (name == "unnest") return planUnnest(std::move(arguments), place, host);
    if (name == "pg_partition_ancestors") return planAncestors(std::move(arguments), place, host);
    // Any other function is a table of its one value.
    TableFunctionPlan plan;
    Typed& only = arguments[0];
    if (only.isUnknown()) only = convert(only, oid::kText, -1, Conversion::Implicit, host);
    plan.type = only.type;
    plan.kept = only.kept;
    plan.scale = only.scale;
    plan.compute = [kept = only.kept, scale = only.scale](std::span<const Value> values, Context&) {
        return filledColumn(kept, static_cast<uint8_t>(scale), 1, values[0]);
    };
    plan.arguments = std::move(arguments);
    return plan;
}

Value tableOfFunction(const std::function<Value(std::span<const Value>, Context&)>& compute, const Value& oneRow,
                      bool isOrdinal, Context& context) {
    const MemoryTable& row = *oneRow.table().asMemory();
    std::vector<Value> arguments;
    for (int i = 0; i < row.columnCount(); ++i) arguments.push_back(row.column(i).at(0));
    std::vector<Value> columns = {compute(arguments, context)};
    std::vector<std::string> names = {kFunctionColumn};
    if (isOrdinal) {
        Ref<Vector> numbers = Vector::make(Type::Long, columns[0].size());
        for (int64_t i = 0; i < numbers->size(); ++i) numbers->mutableData<int64_t>()[i] = i + 1;
        columns.push_back(Value::of(numbers));
        names.push_back(kOrdinalColumn);
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(columns))));
}

}  // namespace pelorus::postgres
