// Casts as functions of a row: pgInt(x) and the like.
#include "postgres/functions/postgres_functions.h"

#include <algorithm>

#include "common/time/calendar.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/functions/time_texts.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

using Row = std::span<const Value>;

bool isNumberValue(const Value& x) {
    return isNumeric(x.type()) || isDecimal(x.type());
}

Value toNumber(const Value& x, Oid type) {
    if (x.isString()) return parseText(textOfValue(x), type, -1);
    if (!isNumberValue(x)) throw SqlError(sql_state::kCannotCoerce, "The value is no number.");
    return convertNumber(x, type, 0, 38);
}

template <Oid kType>
Value toType(Row row) {
    return toNumber(row[0], kType);
}

Value toNumeric(Row row) {
    const int scale = static_cast<int>(std::clamp<int64_t>(wholeArgument(row, 1), 0, 38));
    const int precision = static_cast<int>(std::clamp<int64_t>(wholeArgument(row, 2), 1, 38));
    if (row[0].isString()) return parseText(textOfValue(row[0]), oid::kNumeric, numericModifier(precision, scale));
    if (!isNumberValue(row[0])) throw SqlError(sql_state::kCannotCoerce, "The value is no number.");
    return convertNumber(row[0], oid::kNumeric, scale, precision);
}

Value toBool(Row row) {
    if (row[0].isString()) return parseText(textOfValue(row[0]), oid::kBool, -1);
    return Value::ofBool(row[0].asLong() != 0);
}

Value toText(Row row) {
    return textValue(
        textForm(row[0], static_cast<Oid>(wholeArgument(row, 1)), static_cast<int32_t>(wholeArgument(row, 2))));
}

Value toVarchar(Row row) {
    return varcharOf(textArgument(row, 0), static_cast<int>(std::clamp<int64_t>(wholeArgument(row, 1), 0, INT32_MAX)),
                     wholeArgument(row, 2) != 0);
}

Value toDate(Row row) {
    if (row[0].isString()) return parseDateText(textOfValue(row[0]));
    return Value::scalar(Type::Date, temporalAs(row[0], Type::Date));
}

Value toTime(Row row) {
    if (row[0].isString()) return parseTimeText(textOfValue(row[0]));
    if (row[0].type() == Type::Int128)
        return Value::scalar(Type::NanoTime,
                             calendar::floorModulo(intervalOf(row[0]).micros * 1'000, calendar::kNanosPerDay));
    return Value::scalar(Type::NanoTime, temporalAs(row[0], Type::NanoTime));
}

Value toTimestamp(Row row) {
    if (row[0].isString()) return parseTimestampText(textOfValue(row[0]), true);
    const int64_t nanos = nanosOf(row[0]);
    if (nanos == INT64_MIN) throw SqlError(sql_state::kDatetimeOverflow, "timestamp out of range");
    return Value::scalar(Type::NanoTimestamp, nanos);
}

Value toInterval(Row row) {
    if (row[0].isString()) return intervalValue(parseIntervalText(textOfValue(row[0])));
    if (calendar::temporalKind(row[0].type()) != calendar::TemporalKind::TimeOfDay)
        throw SqlError(sql_state::kCannotCoerce, "The value is no interval.");
    return intervalValue({0, 0, temporalAs(row[0], Type::NanoTime) / 1'000});
}

Value toUuid(Row row) {
    return parseText(textArgument(row, 0), oid::kUuid, -1);
}

Value toBytea(Row row) {
    return parseText(textArgument(row, 0), oid::kBytea, -1);
}

Value toArrayText(Row row) {
    const std::string_view text = textArgument(row, 0);
    if (!text.starts_with('{') || !text.ends_with('}'))
        throw SqlError(sql_state::kInvalidText, "malformed array literal: \"" + std::string(text) + "\"");
    return textValue(text);
}

Value formattedType(Row row) {
    if (row[0].isNull()) return Value();
    return textValue(formatType(static_cast<Oid>(wholeArgument(row, 0)),
                                row[1].isNull() ? -1 : static_cast<int32_t>(wholeArgument(row, 1))));
}

Value typeNumber(Row row) {
    std::string_view name = textArgument(row, 0);
    if (const size_t dot = name.find('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    const OidFacts* facts = typeByName(name);
    return facts == nullptr ? Value() : Value::ofLong(facts->oid);
}

constexpr RowFunction kCasts[] = {
    {.syntax = "pgTypeNumber(name)",
     .compute = typeNumber,
     .result = Type::Long,
     .summary = "The number of a type; NULL for an unknown name."},
    {.syntax = "pgFormatType(oid, modifier)",
     .compute = formattedType,
     .result = Type::String,
     .isStrict = false,
     .summary = "The name of a type."},
    {.syntax = "pgShort(x)", .compute = toType<oid::kInt2>, .result = Type::Short, .summary = "x as smallint."},
    {.syntax = "pgInt(x)", .compute = toType<oid::kInt4>, .result = Type::Int, .summary = "x as integer."},
    {.syntax = "pgLong(x)", .compute = toType<oid::kInt8>, .result = Type::Long, .summary = "x as bigint."},
    {.syntax = "pgFloat(x)", .compute = toType<oid::kFloat4>, .result = Type::Float, .summary = "x as real."},
    {.syntax = "pgDouble(x)",
     .compute = toType<oid::kFloat8>,
     .result = Type::Double,
     .summary = "x as double precision."},
    {.syntax = "pgNumeric(x, scale, precision)",
     .compute = toNumeric,
     .result = Type::Decimal128,
     .scaleArgument = 1,
     .summary = "x as numeric(precision, scale)."},
    {.syntax = "pgBool(x)", .compute = toBool, .result = Type::Bool, .summary = "x as boolean."},
    {.syntax = "pgText(x, oid, modifier)",
     .compute = toText,
     .result = Type::String,
     .summary = "The text of a value of this type."},
    {.syntax = "pgVarchar(x, length, isPadded)",
     .compute = toVarchar,
     .result = Type::String,
     .summary = "x cut to so many characters; 0: to any."},
    {.syntax = "pgDate(x)", .compute = toDate, .result = Type::Date, .summary = "x as date."},
    {.syntax = "pgTime(x)", .compute = toTime, .result = Type::NanoTime, .summary = "x as time."},
    {.syntax = "pgTimestamp(x)", .compute = toTimestamp, .result = Type::NanoTimestamp, .summary = "x as timestamp."},
    {.syntax = "pgInterval(x)", .compute = toInterval, .result = Type::Int128, .summary = "x as interval."},
    {.syntax = "pgUuid(x)", .compute = toUuid, .result = Type::Uuid, .summary = "x as uuid."},
    {.syntax = "pgBytea(x)", .compute = toBytea, .result = Type::Blob, .summary = "x as bytea."},
    {.syntax = "pgArrayText(x, oid)",
     .compute = toArrayText,
     .result = Type::String,
     .summary = "The text of an array, checked."},
};

}  // namespace

void registerCastFunctions(FunctionRegistry& registry) {
    registerRowFunctions<kCasts>(registry);
}

}  // namespace pelorus::postgres
