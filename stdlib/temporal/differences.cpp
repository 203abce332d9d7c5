// Differences of times, in their own unit, in days or in business days: temporalDeltas, temporalDiff.
#include <algorithm>
#include <memory>

#include "common/time/trading_calendar.h"
#include "runtime/function/function.h"
#include "runtime/table/table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/temporal/map_temporal.h"

namespace pelorus {

namespace {

// Unit of a difference: units of the type, all days, or the days of a calendar.
struct DayUnit {
    bool given = false;
    std::shared_ptr<const TradingCalendar> calendar;
};

DayUnit unitArgument(Arguments a, size_t i) {
    const std::string unit = stringArgument(a, i, "unit", "");
    if (unit.empty()) return {};
    if (unit == "d") return {true, nullptr};
    if (unit == "B") return {true, businessDayCalendar()};
    return {true, tradingCalendar(unit)};
}

Value difference(const Value& x, const Value& y, const DayUnit& unit) {
    if (x.type() != y.type() || !isTemporal(x.type())) {
        throw UserError(1, fmt::format("X and Y must be temporal and of one type, but they are {} and {}.",
                                       typeString(x), typeString(y)));
    }
    if (unit.given && x.type() != Type::Date) refuseArgument(0, "X", "DATE when a unit is given", x);
    auto counted = [&](const Value& v) {
        if (!unit.calendar) return v;
        return mapTemporal(v, Needs::Date, Type::Date, [&](int64_t day) { return unit.calendar->numberOf(day); });
    };
    const Value result = applyBinary(Operator::Sub, counted(x), counted(y));
    return widthOf(x.type()) == 4 ? cast(result, Type::Int) : result;
}

// temporalDiff(X, Y, [unit])
Value differenceKernel(Context&, Arguments a) {
    return difference(a[0], a[1], unitArgument(a, 2));
}

// temporalDeltas(X, [unit])
Value deltasKernel(Context& context, Arguments a) {
    const DayUnit unit = unitArgument(a, 1);
    if (a[0].isTable()) {
        const Ref<MemoryTable> table = tableToRead(a[0]);
        if (!table) refuseArgument(0, "X", "in memory", a[0]);
        auto result = makeRef<MemoryTable>();
        for (int c = 0; c < table->columnCount(); ++c) {
            std::vector<Value> step = {table->column(c), a[1]};
            result->setColumn(table->columns()[static_cast<size_t>(c)].name,
                              isTemporal(step[0].type()) ? deltasKernel(context, step) : step[0]);
        }
        return Value::of(Ref<Table>(result));
    }
    std::vector<Value> call = {a[0]};
    const Value before = FunctionRegistry::instance().get("prev").call(context, call);
    return difference(a[0], before, unit);
}

}  // namespace

void registerTemporalDifferences(FunctionRegistry& registry) {
    registry.add(
        "temporalDiff(X, Y, [unit])", differenceKernel,
        {.summary =
             "X - Y in the unit of their type, or of dates in days (d), business days (B) or the days of a trading "
             "calendar.",
         .parameters = "X: a temporal scalar or vector\n"
                       "Y: one of the same type\n"
                       "unit: for DATE: d days, B business days, or a trading calendar as XNYS for its days; the unit "
                       "of the type when omitted",
         .nulls = "NULL for NULL.",
         .errors = "X and Y differ in type; a unit is given and X is not DATE.",
         .example = "temporalDiff(2024.03.18, 2024.03.15, `B) -> 1"},
        {.takes = {kAnything, kAnything, kAnything | Takes::Constant},
         .gives = differenceOf(0),
         .kind = FunctionKind::Elementwise});
    registry.alias("datetimeDiff", "temporalDiff");
    registry.add(
        "temporalDeltas(X, [unit])", deltasKernel,
        {.summary = "What has passed since the element before, in the unit of the type, or of dates in days (d) or "
                    "business days (B); in the temporal columns of a table.",
         .nulls = "NULL for NULL, and at the first element.",
         .example = "temporalDeltas(2024.03.15 2024.03.18, `d) -> [,3]"},
        {.orderSensitive = true});
    registry.alias("datetimeDeltas", "temporalDeltas");
}

}  // namespace pelorus
