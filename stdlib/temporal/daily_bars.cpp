// dailyAlignedBar: intervals that begin anew with each session of a day.
#include <algorithm>

#include "runtime/kernel/elementwise/duration.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"
#include "stdlib/temporal/map_temporal.h"

namespace pelorus {

namespace {

// Returns the type of a time of day with the precision of an instant.
Type clockOf(Type type) {
    switch (type) {
        case Type::DateTime:
            return Type::Second;
        case Type::Timestamp:
            return Type::Time;
        case Type::NanoTimestamp:
            return Type::NanoTime;
        default:
            return type;
    }
}

std::vector<int64_t> clockArgument(Arguments a, size_t i, std::string_view name, Type clock) {
    if (a[i].type() != clock)
        refuseArgument(i, name, fmt::format("of type {}, as precise as X", typeName(clock)), a[i]);
    Ref<Vector> elements = vectorArgument(a, i, name);
    std::vector<int64_t> times;
    for (int64_t k = 0; k < elements->size(); ++k) {
        times.push_back(elements->asLong(k));
        if (isNull(times.back()) || (k > 0 && times[static_cast<size_t>(k) - 1] >= times.back())) {
            throw UserError(static_cast<int>(i), fmt::format("{} must rise and have no NULL.", name));
        }
    }
    if (times.empty()) refuseArgument(i, name, "at least one time", a[i]);
    return times;
}

int64_t lengthArgument(Arguments a, Type clock) {
    const int64_t perDay = calendar::unitsPerDay(clock);
    int64_t length = 0;
    if (a[2].type() == Type::Duration && a[2].isScalar()) {
        const int64_t nanos =
            a[2].unit() < (1 << 24) ? calendar::nanosPerUnit(static_cast<DurationUnit>(a[2].unit())) : 0;
        length = nanos * a[2].integer() / (calendar::kNanosPerDay / perDay);
        if (nanos == 0 || nanos >= calendar::kNanosPerDay) refuseArgument(2, "n", "shorter than a day", a[2]);
    } else {
        length = integerArgument(a, 2, "n");
    }
    if (length < 1) refuseArgument(2, "n", "at least one unit of X", a[2]);
    return length;
}

// dailyAlignedBar(X, timeOffset, n, [timeEnd], [mergeSessionEnd=false])
Value dailyAlignedBarKernel(Context&, Arguments a) {
    const Type type = a[0].type(), clock = clockOf(type);
    if (clock != Type::Second && clock != Type::Time && clock != Type::NanoTime) {
        refuseArgument(0, "X", "SECOND, TIME, NANOTIME, DATETIME, TIMESTAMP or NANOTIMESTAMP", a[0]);
    }
    const int64_t perDay = calendar::unitsPerDay(clock);
    const std::vector<int64_t> begins = clockArgument(a, 1, "timeOffset", clock);
    const int64_t length = lengthArgument(a, clock);
    std::vector<int64_t> ends;
    if (isGiven(a, 3)) {
        Ref<Vector> given = vectorArgument(a, 3, "timeEnd");
        if (a[3].type() != clock || given->size() != static_cast<int64_t>(begins.size())) {
            refuseArgument(3, "timeEnd", "of the type and length of timeOffset", a[3]);
        }
        for (int64_t i = 0; i < given->size(); ++i) ends.push_back(given->asLong(i));
    }
    const bool merges = flagArgument(a, 4, "mergeSessionEnd", false) && !ends.empty();
    return mapElements(a[0], [&](const Vector& v) {
        Ref<Vector> out = Vector::make(type, v.size());
        for (int64_t i = 0; i < v.size(); ++i) {
            const int64_t x = v.asLong(i);
            if (isNull(x)) {
                out->set(i, v.at(i));
                continue;
            }
            // The session that has begun last; before the first one, yesterday's last one.
            const int64_t inDay = calendar::floorModulo(x, perDay);
            auto after = std::upper_bound(begins.begin(), begins.end(), inDay);
            const auto session =
                static_cast<size_t>((after == begins.begin() ? begins.end() : after) - begins.begin()) - 1;
            const int64_t since = calendar::floorModulo(inDay - begins[session], perDay);
            int64_t rest = since % length;
            const bool atEnd = merges && since > 0 && rest == 0 &&
                               calendar::floorModulo(ends[session] - begins[session], perDay) == since;
            if (atEnd) rest = length;
            const int64_t bar = x - rest;
            out->set(i, Value::scalar(type, type == clock ? calendar::floorModulo(bar, perDay) : bar));
        }
        return out;
    });
}

}  // namespace

void registerDailyBars(FunctionRegistry& registry) {
    registry.add(
        "dailyAlignedBar(X, timeOffset, n, [timeEnd], [mergeSessionEnd=false])", dailyAlignedBarKernel,
        {.summary = "The beginning of the interval of length n that holds X; intervals begin anew with each "
                    "session of the day.",
         .parameters = "timeOffset: when sessions begin, a time of day as precise as X, rising\nn: units of X, "
                       "or a duration\ntimeEnd: when sessions end\nmergeSessionEnd: whether the end of a "
                       "session counts to the interval before it",
         .nulls = "NULL for NULL.",
         .errors = "The types do not fit, or timeOffset does not rise.",
         .example = "dailyAlignedBar(2024.03.15T10:45:00, 09:30:00 13:00:00, 3600) -> 2024.03.15T10:30:00"},
        {.takes = {kAnything, kTogether, kTogether, kTogether, kTogether},
         .gives = same(0),
         .kind = FunctionKind::Elementwise});
}

}  // namespace pelorus
