// The current time, and arithmetic of times: now, today, temporalAdd, temporalSeq.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "common/time/calendar.h"
#include "common/time/local_clock.h"
#include "common/time/trading_calendar.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Value nowKernel(Context&, Arguments a) {
    int64_t nanos = localNanos();
    if (flagArgument(a, 0, "nanoSecond", false)) return Value::scalar(Type::NanoTimestamp, nanos);
    return Value::scalar(Type::Timestamp, calendar::floorDivide(nanos, 1000000));
}
Value todayKernel(Context&, Arguments) {
    return Value::scalar(Type::Date, calendar::floorDivide(localNanos(), calendar::kNanosPerDay));
}

// Seconds that local time is ahead of UTC at this instant.
int64_t offsetSeconds(int64_t seconds, bool fromLocal) {
    std::time_t at = seconds;
    std::tm local{};
    localtime_r(&at, &local);
    int64_t offset = local.tm_gmtoff;
    if (!fromLocal) return offset;
    at = seconds - offset;
    localtime_r(&at, &local);
    return local.tm_gmtoff;
}

template <bool kToLocal>
Value zoneKernel(Context&, Arguments a) {
    return mapContainer(
        a[0],
        [](const Value& v) -> Value {
            Type type = v.type();
            if (type != Type::DateTime && type != Type::Timestamp && type != Type::NanoTimestamp) {
                refuseArgument(0, "X", "a DATETIME, TIMESTAMP or NANOTIMESTAMP", v);
            }
            int64_t perSecond = calendar::unitsPerDay(type) / calendar::kSecondsPerDay;
            auto one = [&](const Value& element) {
                if (element.isNull()) return element;
                int64_t offset = offsetSeconds(calendar::floorDivide(element.integer(), perSecond), !kToLocal);
                return Value::scalar(type, element.integer() + (kToLocal ? offset : -offset) * perSecond);
            };
            if (v.isScalar()) return one(v);
            Ref<Vector> out = Vector::make(type, v.size());
            for (int64_t i = 0; i < v.size(); ++i) out->set(i, one(v.at(i)));
            return Value::of(out);
        },
        isTemporal);
}

// temporalAdd(X, 5m) and temporalAdd(X, 5, `m).
Value temporalAddKernel(Context&, Arguments a) {
    if (!isTemporal(a[0].type())) refuseArgument(0, "date", "temporal", a[0]);
    if (a[1].type() == Type::Duration) return temporalAdd(a[0], a[1].integer(), a[1].unit());
    if (!isGiven(a, 2)) return applyBinary(Operator::Add, a[0], a[1]);
    std::string name = stringArgument(a, 2, "unit");
    DurationUnit unit;
    std::shared_ptr<const TradingCalendar> market;
    const bool isUnit = calendar::unitByName(name, unit);
    if (!isUnit) {
        market = findTradingCalendar(name);
        const bool calendarName =
            !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        if (!market && calendarName && name.size() > 1) market = tradingCalendar(name);  // throws
        if (!market) refuseArgument(2, "unit", "one of y M w d B H m s ms us ns or a trading calendar", a[2]);
    }
    auto moved = [&](const Value& x, int64_t amount) {
        return market ? temporalAdd(x, amount, *market) : temporalAdd(x, amount, static_cast<int32_t>(unit));
    };
    if (a[1].isScalar()) return moved(a[0], integerArgument(a, 1, "duration"));
    Ref<Vector> amounts = vectorArgument(a, 1, "duration");
    if (!isIntegral(amounts->type())) refuseArgument(1, "duration", "integers", a[1]);
    if (!a[0].isScalar() && a[0].size() != amounts->size()) {
        throw UserError(1, fmt::format("date and duration must have the same length, but have {} and {} elements.",
                                       a[0].size(), amounts->size()));
    }
    Ref<Vector> out = Vector::make(a[0].type(), amounts->size());
    for (int64_t i = 0; i < amounts->size(); ++i) {
        out->set(i, moved(a[0].isScalar() ? a[0] : a[0].at(i), amounts->asLong(i)));
    }
    return Value::of(out);
}

Value sleepKernel(Context& context, Arguments a) {
    int64_t millis = integerArgument(a, 0, "milliseconds");
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(millis);
    // It sleeps in short steps, so that a cancelled request stops.
    while (std::chrono::steady_clock::now() < end) {
        context.checkCancelled();
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        std::this_thread::sleep_for(std::min(left, std::chrono::milliseconds(50)) + std::chrono::milliseconds(1));
    }
    return Value();
}

Value systemDateKernel(Context& context, Arguments) {
    std::vector<Value> none = {omitted()};
    return cast(nowKernel(context, none), Type::Date);
}

}  // namespace

void registerClock(FunctionRegistry& registry) {
    registry.add(
        "now([nanoSecond=false])", nowKernel,
        {.summary = "The local time as TIMESTAMP, or NANOTIMESTAMP.", .example = "typestr(now()) -> TIMESTAMP"});
    registry.add("sysdate()", systemDateKernel,
                 {.summary = "The local date, as SYSDATE() in the dialects of Oracle and MySQL.",
                  .example = "typestr(sysdate()) -> DATE"});
    registry.add("today()", todayKernel, {.summary = "The local date.", .example = "typestr(today()) -> DATE"});
    registry.add("localtime(X)", zoneKernel<true>,
                 {.summary = "The instant X, given in UTC, in local time.",
                  .nulls = "NULL for NULL.",
                  .example = "gmtime(localtime(2024.03.15T13:30:10)) -> 2024.03.15T13:30:10"},
                 {.gives = same(0), .kind = FunctionKind::Elementwise});
    registry.add("gmtime(X)", zoneKernel<false>,
                 {.summary = "The instant X, given in local time, in UTC.",
                  .nulls = "NULL for NULL.",
                  .example = "localtime(gmtime(2024.03.15T13:30:10)) -> 2024.03.15T13:30:10"},
                 {.gives = same(0), .kind = FunctionKind::Elementwise});
    registry.add(
        "temporalAdd(date, duration, [unit])", temporalAddKernel,
        {.summary = "date moved by a duration, or by a number of units y M w d B H m s ms us ns or of a "
                    "trading calendar's days, as XNYS; months keep the day or take the month's last.",
         .parameters = "date: a temporal scalar or vector\n"
                       "duration: a DURATION, or an integer or a vector of integers as long as date\n"
                       "unit: of an integer: y M w d B H m s ms us ns, or a trading calendar as XNYS for its days; "
                       "that of the type of date when omitted",
         .nulls = "NULL for NULL.",
         .errors = "The unit is finer than the type of date; there is no such trading calendar.",
         .example = "temporalAdd(2024.01.31, 1, `M) -> 2024.02.29\ntemporalAdd(13:30m, 5m) -> 13:35m"},
        {.takes = {kAnything,
                   {.types = kNumberTypes | typeSet(Type::Duration), .what = "a duration or a number of units"},
                   kAnything | Takes::Constant},
         .gives = same(0),
         .kind = FunctionKind::Elementwise,
         .effect = Effect::Pure});
    registry.alias("datetimeAdd", "temporalAdd");
    registry.add("sleep(X)", sleepKernel, {.summary = "Waits.", .units = "milliseconds", .example = "sleep(500)"},
                 {.effect = Effect::Volatile});
}

}  // namespace pelorus
