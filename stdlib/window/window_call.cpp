#include "stdlib/window/window_call.h"

#include <fmt/format.h>

#include "common/calendar.h"
#include "common/error.h"
#include "runtime/format/print.h"
#include "stdlib/arguments.h"

namespace pelorus {

// The length of a time window in units of T.
static int64_t timedLength(const Value& window, Type type, size_t i) {
    if (window.type() == Type::Duration) {
        int64_t nanos = calendar::nanosPerUnit(static_cast<DurationUnit>(window.unit()));
        int64_t perDay = calendar::unitsPerDay(type);
        if (nanos == 0 || perDay == 0 || window.integer() * nanos % (calendar::kNanosPerDay / perDay) != 0) {
            throw UserError(static_cast<int>(i),
                            fmt::format("A window of {} does not fit times of {}.", itemText(window), typeName(type)));
        }
        return window.integer() * nanos / (calendar::kNanosPerDay / perDay);
    }
    if (!window.isNumber() || !isIntegral(window.type()) || window.isNull())
        refuseArgument(i, "window", "an integer or a duration", window);
    return window.integer();
}

Value windowCall(WindowKind kind, size_t vectors, Arguments arguments, const WindowFunction& f, size_t parameters,
                 bool leadingNulls) {
    if (kind == WindowKind::Cumulative) {
        RowWindow window = RowWindow::cumulative();
        return vectorForms([&](std::span<const Value> step) { return f(step, window); }, arguments.first(vectors),
                           vectors);
    }
    if (kind == WindowKind::Moving) {
        RowWindow window = movingArgument(arguments, vectors + parameters, leadingNulls);
        return vectorForms([&](std::span<const Value> step) { return f(step, window); }, arguments.first(vectors),
                           vectors);
    }
    Ref<Vector> times = vectorArgument(arguments, 0, "T");
    if (!isTemporal(times->type()) && !isIntegral(times->type()))
        refuseArgument(0, "T", "temporal or integral", arguments[0]);
    size_t position = 1 + vectors + parameters;
    int64_t length = timedLength(arguments[position], times->type(), position);
    if (length < 1) refuseArgument(position, "window", "above 0", arguments[position]);
    RowWindow window = RowWindow::timed(*times, length);
    return vectorForms(
        [&](std::span<const Value> step) {
            if (step[0].size() != times->size()) {
                throw UserError(1, fmt::format("The vectors don't have the same length: {} and {}.", times->size(),
                                               step[0].size()));
            }
            return f(step, window);
        },
        arguments.subspan(1, vectors), vectors);
}

}  // namespace pelorus
