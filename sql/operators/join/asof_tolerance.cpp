#include "sql/operators/join/asof_tolerance.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/kernel/elementwise/duration.h"
#include "sql/keys/join_keys.h"

namespace pelorus {

namespace {

// Returns the units of the type in the duration, rounded down; -1 where the type or the unit has no fixed length.
int64_t unitsIn(const Value& duration, Type type) {
    const bool isMarket = duration.unit() > static_cast<int32_t>(DurationUnit::BusinessDay);
    const int64_t nanos = isMarket ? 0 : calendar::nanosPerUnit(static_cast<DurationUnit>(duration.unit()));
    const int64_t perDay = calendar::unitsPerDay(type);
    if (nanos == 0 || perDay == 0) return -1;
    const auto length = static_cast<__int128>(duration.integer()) * nanos;
    return static_cast<int64_t>(std::min<__int128>(length / (calendar::kNanosPerDay / perDay), INT64_MAX));
}

}  // namespace

AsofTolerance::AsofTolerance(const Value& given, const Value& leftTimes, const std::string& name) {
    if (given.isNull()) return;
    CHECK(given.integer() >= 0) << "a distance is not negative";
    isBounded_ = true;
    if (given.type() != Type::Duration) {
        most_ = static_cast<uint64_t>(given.integer());
        return;
    }
    if (!isTemporal(leftTimes.type())) {
        throw UserError(
            fmt::format("tolerance is a duration, but the last key {} is {}.", name, typeName(leftTimes.type())),
            "Give it as an integer.");
    }
    const int64_t units = unitsIn(given, leftTimes.type());
    if (units >= 0) {
        most_ = static_cast<uint64_t>(units);
        return;
    }
    earliest_ = orderedKey(temporalAdd(leftTimes, -given.integer(), given.unit()));
    latest_ = orderedKey(temporalAdd(leftTimes, given.integer(), given.unit()));
}

}  // namespace pelorus
