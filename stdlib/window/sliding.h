// Sliding of a state over rows: the engine of moving (m…), time-based moving (tm…) and cumulative (cum…) functions.
//
// A state has add(i) and remove(i), which take row i in or out, and result(). Rows with a NULL never reach it. O(1) per
// row besides the state's own work.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/thread/cancellation.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "stdlib/window/time_axis.h"

namespace pelorus {

// The window of each row: row i sees the rows first(i) … i. first never falls as i rises.
class RowWindow {
public:
    // The last `length` rows; the results of the first length-1 rows are NULL unless minPeriods is given.
    static RowWindow moving(int64_t length, int64_t minPeriods, bool leadingNulls);
    static RowWindow cumulative();
    // The rows with times in (T[i] - length, T[i]], over rising times; `length`, in position `argument`, is an integer
    // in their unit or a DURATION. Results of windows with fewer values than minPeriods are NULL.
    static RowWindow timed(const TimeAxis& times, const Value& length, size_t argument, int64_t minPeriods = 1);

    int64_t first(int64_t row) const {
        if (!starts_.empty()) return starts_[static_cast<size_t>(row)];
        return length_ < 0 ? 0 : row < length_ ? 0 : row - length_ + 1;
    }
    // Returns whether row i has a result, given how many of its rows are not NULL.
    bool complete(int64_t row, int64_t valid) const {
        return valid >= minPeriods_ && (!leadingNulls_ || row + 1 >= length_) && !isMissing(row);
    }

    // Returns whether row i comes before the first whole window, or has no time.
    bool isLeading(int64_t row) const { return (leadingNulls_ && row + 1 < length_) || isMissing(row); }
    // Returns the number of rows in the longest window over `rows` rows.
    int64_t longest(int64_t rows) const;

private:
    bool isMissing(int64_t row) const { return !missing_.empty() && missing_[static_cast<size_t>(row)]; }

    int64_t length_ = -1;
    int64_t minPeriods_ = 1;
    bool leadingNulls_ = false;
    std::vector<int64_t> starts_;
    std::vector<bool> missing_;  // rows without a time
};

// Calls put(row, hasResult) or put(row, hasResult, number of values that are not NULL), with the state holding the
// row's window. `valid(i)` returns whether row i is without NULL.
template <class State, class Valid, class Put>
void slide(State& state, const RowWindow& window, int64_t rows, Valid valid, Put put) {
    int64_t begin = 0, count = 0;
    inPieces(rows, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            if (valid(i)) {
                state.add(i);
                ++count;
            }
            for (int64_t first = window.first(i); begin < first; ++begin) {
                if (valid(begin)) {
                    state.remove(begin);
                    --count;
                }
            }
            if constexpr (std::is_invocable_v<Put, int64_t, bool, int64_t>) {
                put(i, window.complete(i, count), count);
            } else {
                put(i, window.complete(i, count));
            }
        }
    });
}

// Returns the window of a call: mf(X, [Y], window, [minPeriods]) with the window at position i of the arguments.
RowWindow movingArgument(Arguments arguments, size_t i, bool leadingNulls = true);
// Returns the window over the labels of an indexed matrix: `window` counts in their unit or is a duration.
RowWindow indexedWindow(const Matrix& indexed, Arguments arguments, size_t i);

}  // namespace pelorus
