#include "stdlib/higher_order/function_windows.h"

#include <algorithm>

#include "common/error.h"

namespace pelorus {

RowRanges movingRanges(int64_t rows, int64_t length, int64_t minRows) {
    RowRanges ranges(static_cast<size_t>(rows));
    for (int64_t i = minRows - 1; i < rows; ++i)
        ranges[static_cast<size_t>(i)] = {std::max<int64_t>(0, i + 1 - length), i + 1};
    return ranges;
}

RowRanges offsetRanges(int64_t rows, int64_t from, int64_t to) {
    RowRanges ranges(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) {
        ranges[static_cast<size_t>(i)] = {std::max<int64_t>(0, i + from), std::min(rows, i + to + 1)};
    }
    return ranges;
}

RowRanges trailingRanges(const TimeAxis& times, const Value& length, int argument) {
    RowRanges ranges(static_cast<size_t>(times.size()));
    std::vector<int64_t> open = times.moved(length, true, argument);
    int64_t begin = 0;
    for (int64_t i = 0; i < times.size(); ++i) {
        if (times.isMissing(i)) continue;
        while (begin < i && (times.isMissing(begin) || times.at(begin) <= open[static_cast<size_t>(i)])) ++begin;
        ranges[static_cast<size_t>(i)] = {begin, i + 1};
    }
    return ranges;
}

RowRanges aroundRanges(const TimeAxis& times, const Value& from, const Value& to, Prevailing prevailing, int argument) {
    std::vector<int64_t> low = times.moved(from, false, argument), high = times.moved(to, false, argument);
    std::vector<int64_t> points;
    for (int64_t i = 0; i < times.size(); ++i) {
        if (times.isMissing(i)) throw UserError("T must not have NULL.");
        points.push_back(times.at(i));
    }
    RowRanges ranges(points.size());
    for (size_t i = 0; i < points.size(); ++i) {
        auto begin = std::lower_bound(points.begin(), points.end(), low[i]) - points.begin();
        auto end = std::upper_bound(points.begin(), points.end(), high[i]) - points.begin();
        if (prevailing == Prevailing::Yes) {
            auto after = std::upper_bound(points.begin(), points.end(), low[i]) - points.begin();
            if (after > 0) begin = after - 1;
        }
        if (prevailing == Prevailing::Current) {
            if (from.integer() == 0) begin = static_cast<ptrdiff_t>(i);
            if (to.integer() == 0) end = static_cast<ptrdiff_t>(i) + 1;
        }
        ranges[i] = {begin, end};
    }
    return ranges;
}

}  // namespace pelorus
