#include "stdlib/window/sliding.h"

#include <fmt/format.h>

#include "common/calendar.h"
#include "common/error.h"
#include "stdlib/arguments.h"

namespace pelorus {

RowWindow RowWindow::moving(int64_t length, int64_t minPeriods, bool leadingNulls) {
    RowWindow window;
    window.length_ = length;
    window.minPeriods_ = minPeriods;
    window.leadingNulls_ = leadingNulls;
    return window;
}

RowWindow RowWindow::cumulative() {
    return {};
}

RowWindow RowWindow::timed(const Vector& times, int64_t length) {
    RowWindow window;
    window.starts_.resize(static_cast<size_t>(times.size()));
    window.missing_.resize(static_cast<size_t>(times.size()));
    int64_t begin = 0, previous = null<int64_t>;
    for (int64_t i = 0; i < times.size(); ++i) {
        int64_t now = times.asLong(i);
        auto k = static_cast<size_t>(i);
        window.missing_[k] = isNull(now);
        if (!isNull(now)) {
            if (!isNull(previous) && now < previous) {
                throw UserError(0, "T must not fall.", "Sort the rows by time first.");
            }
            previous = now;
            while (begin < i && (times.isNullAt(begin) || times.asLong(begin) <= now - length)) ++begin;
        }
        window.starts_[k] = begin;
    }
    return window;
}

RowWindow movingArgument(Arguments arguments, size_t i, bool leadingNulls) {
    int64_t length = integerArgument(arguments, i, "window");
    if (length < 1) refuseArgument(i, "window", "at least 1", arguments[i]);
    if (!isGiven(arguments, i + 1)) return RowWindow::moving(length, 1, leadingNulls);
    int64_t minPeriods = integerArgument(arguments, i + 1, "minPeriods");
    if (minPeriods < 1 || minPeriods > length)
        refuseArgument(i + 1, "minPeriods", "between 1 and window", arguments[i + 1]);
    return RowWindow::moving(length, minPeriods, false);
}

}  // namespace pelorus
