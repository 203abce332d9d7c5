#include "stdlib/window/sliding.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/time/calendar.h"
#include "stdlib/arguments.h"

namespace pelorus {

RowWindow RowWindow::moving(int64_t length, int64_t minPeriods, bool leadingNulls) {
    CHECK(length >= 1) << "a window holds at least its own row";
    RowWindow window;
    window.length_ = length;
    window.minPeriods_ = minPeriods;
    window.leadingNulls_ = leadingNulls;
    return window;
}

RowWindow RowWindow::cumulative() {
    return {};
}

RowWindow RowWindow::timed(const TimeAxis& times, const Value& length, size_t argument, int64_t minPeriods) {
    bool positive = length.isScalar() && !length.isNull() && length.integer() > 0;
    if (!positive) refuseArgument(argument, "window", "above 0", length);
    RowWindow window;
    window.minPeriods_ = minPeriods;
    window.starts_.resize(static_cast<size_t>(times.size()));
    window.missing_.resize(static_cast<size_t>(times.size()));
    std::vector<int64_t> open = times.moved(length, true, static_cast<int>(argument));
    CHECK(open.size() == times.size()) << "each time has the begin of its window";
    int64_t begin = 0;
    inPieces(times.size(), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            auto k = static_cast<size_t>(i);
            window.missing_[k] = times.isMissing(i);
            while (!times.isMissing(i) && begin < i && (times.isMissing(begin) || times.at(begin) <= open[k])) ++begin;
            window.starts_[k] = begin;
        }
    });
    return window;
}

RowWindow indexedWindow(const Matrix& indexed, Arguments arguments, size_t i) {
    TimeAxis times(Ref<Vector>(&indexed.rowLabels.vector()), 0, "The index of X");
    int64_t minPeriods = integerArgument(arguments, i + 1, "minPeriods", 1);
    if (minPeriods < 1) refuseArgument(i + 1, "minPeriods", "at least 1", arguments[i + 1]);
    return RowWindow::timed(times, arguments[i], i, minPeriods);
}

int64_t RowWindow::longest(int64_t rows) const {
    if (starts_.empty()) return length_ < 0 ? rows : std::min(length_, rows);
    int64_t most = 0;
    for (size_t i = 0; i < starts_.size(); ++i) most = std::max(most, static_cast<int64_t>(i) + 1 - starts_[i]);
    return most;
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
