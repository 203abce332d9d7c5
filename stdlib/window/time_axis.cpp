#include "stdlib/window/time_axis.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/value/print.h"

namespace pelorus {

TimeAxis::TimeAxis(Ref<Vector> times, int argument, const char* name) : times_(std::move(times)) {
    read(argument, name);
    int64_t previous = null<int64_t>;
    for (const int64_t now : points_) {
        if (isNull(now)) continue;
        if (!isNull(previous) && now < previous)
            throw UserError(argument, fmt::format("{} must not fall.", name), "Sort the rows by time first.");
        previous = now;
    }
}

TimeAxis TimeAxis::inAnyOrder(Ref<Vector> times, int argument, const char* name) {
    TimeAxis axis;
    axis.times_ = std::move(times);
    axis.read(argument, name);
    return axis;
}

void TimeAxis::read(int argument, const char* name) {
    if (!isTemporal(times_->type()) && !isIntegral(times_->type())) {
        throw UserError(argument,
                        fmt::format("{} must be temporal or integral, but it is {}.", name, typeName(times_->type())));
    }
    points_.resize(static_cast<size_t>(times_->size()));
    for (int64_t i = 0; i < times_->size(); ++i)
        points_[static_cast<size_t>(i)] = times_->isNullAt(i) ? null<int64_t> : times_->asLong(i);
}

std::vector<int64_t> TimeAxis::moved(const Value& offset, bool back, int argument) const {
    Type type = times_->type();
    bool duration = offset.isScalar() && offset.type() == Type::Duration;
    if (!duration && !(offset.isNumber() && isIntegral(offset.type()) && !offset.isNull())) {
        throw UserError(argument,
                        fmt::format("The window must be an integer or a duration, but it is {}.", typeString(offset)));
    }
    int64_t amount = back ? -offset.integer() : offset.integer();
    auto misfit = [&] {
        return UserError(argument,
                         fmt::format("A window of {} does not fit times of {}.", itemString(offset), typeName(type)));
    };
    if (duration) {
        if (!isTemporal(type)) throw misfit();
        int64_t nanos = calendar::nanosPerUnit(static_cast<DurationUnit>(offset.unit()));
        int64_t perDay = type == Type::Month ? 0 : calendar::unitsPerDay(type);
        if (nanos == 0 || perDay == 0) {
            if (hasBreak_) throw misfit();
            Value all = temporalAdd(Value::of(times_), amount, offset.unit());
            std::vector<int64_t> result(points_.size());
            for (size_t i = 0; i < result.size(); ++i) {
                auto row = static_cast<int64_t>(i);
                result[i] = isMissing(row) ? null<int64_t> : all.vector().asLong(row);
            }
            return result;
        }
        int64_t unitNanos = calendar::kNanosPerDay / perDay;
        if (amount * nanos % unitNanos != 0) throw misfit();
        amount = amount * nanos / unitNanos;
    }
    std::vector<int64_t> result = points_;
    for (int64_t& point : result) {
        if (!isNull(point)) point += amount;
    }
    return result;
}

void TimeAxis::exclude(const Value& period, int argument) {
    Type type = times_->type();
    bool timed = type == Type::Timestamp || type == Type::NanoTimestamp || type == Type::Time || type == Type::NanoTime;
    if (!timed) {
        throw UserError(argument,
                        fmt::format("excludedPeriod needs times of TIMESTAMP, NANOTIMESTAMP, TIME or NANOTIME, "
                                    "but they are {}.",
                                    typeName(type)));
    }
    bool timeOfDay = period.isPair() && isTemporal(period.type()) &&
                     calendar::temporalKind(period.type()) == calendar::TemporalKind::TimeOfDay;
    if (!timeOfDay || period.vector().hasNull())
        throw UserError(argument, "excludedPeriod must be a pair of times of day, as in 11:30:00 : 13:00:00.");
    int64_t perDay = calendar::unitsPerDay(type), scale = calendar::unitsPerDay(period.type());
    // Both scales are divisors of a day in nanoseconds.
    auto inUnits = [&](int64_t stored) {
        return stored * (calendar::kNanosPerDay / scale) / (calendar::kNanosPerDay / perDay);
    };
    int64_t from = inUnits(period.vector().asLong(0)), to = inUnits(period.vector().asLong(1));
    if (to <= from) throw UserError(argument, "The end of excludedPeriod must be after its begin.");
    for (int64_t& point : points_) {
        if (isNull(point)) continue;
        int64_t day = calendar::floorDivide(point, perDay), inDay = point - day * perDay;
        if (inDay > from && inDay < to) throw UserError(argument, "T must not lie inside excludedPeriod.");
        point = day * (perDay - (to - from)) + (inDay >= to ? inDay - (to - from) : inDay);
    }
    hasBreak_ = true;
}

}  // namespace pelorus
