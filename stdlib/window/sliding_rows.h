// The rows of a window that go on as they come, for functions of the last rows of a group and of all rows so far.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/kernel/rolling/ring_history.h"
#include "stdlib/window/sliding_state.h"

namespace pelorus {

// The window of mf(X, [Y], window, [minPeriods]) as constants of a call tell it.
struct RollingWindow {
    int64_t length = 1;
    int64_t minPeriods = 1;
    bool leadingNulls = true;  // no result before `length` rows

    bool complete(int64_t row, int64_t valid) const {
        return valid >= minPeriods && (!leadingNulls || row + 1 >= length);
    }
};

// Returns nothing when the window at position i is no constant that the function takes: its call says what is wrong.
inline std::optional<RollingWindow> rollingWindow(std::span<const Value> constants, size_t i,
                                                  bool leadingNulls = true) {
    const auto isCount = [&](size_t k) {
        return k < constants.size() && constants[k].isScalar() && constants[k].isNumber() &&
               isIntegral(constants[k].type()) && !constants[k].isNull() && constants[k].asLong() >= 1;
    };
    if (!isCount(i) || constants[i].asLong() > INT32_MAX) return std::nullopt;
    RollingWindow window{constants[i].asLong(), 1, leadingNulls};
    if (i + 1 < constants.size() && !constants[i + 1].isVoid()) {
        if (!isCount(i + 1) || constants[i + 1].asLong() > window.length) return std::nullopt;
        window.minPeriods = constants[i + 1].asLong();
        window.leadingNulls = false;
    }
    return window;
}

// The window of an aggregate's state, as overStates slides it.
template <class State, size_t kVectors>
class SlidingRow {
public:
    explicit SlidingRow(const RollingWindow& window)
        : window_(window), state_(RingHistory<kVectors>(window.length + 1)) {}

    double next(double x, double y = 0) {
        RingHistory<kVectors>& rows = state_.history();
        rows.put(row_, x, y);
        if (rows.valid(row_)) {
            state_.add(row_);
            ++valid_;
        }
        if (const int64_t leaving = row_ - window_.length; leaving >= 0 && rows.valid(leaving)) {
            state_.remove(leaving);
            --valid_;
        }
        const bool complete = window_.complete(row_++, valid_);
        return complete ? state_.whole().result() : null<double>;
    }
    int64_t memoryBytes() const { return state_.memoryBytes(); }

private:
    RollingWindow window_;
    SlidingState<State, kVectors, RingHistory<kVectors>> state_;
    int64_t row_ = 0, valid_ = 0;
};

// All rows so far of an aggregate's state.
template <class State, size_t kVectors>
class RunningRow {
public:
    double next(double x, double y = 0) {
        if (!isNull(x) && (kVectors == 1 || !isNull(y))) {
            if constexpr (kVectors == 2) {
                state_.add(x, y);
            } else {
                state_.add(x);
            }
            ++valid_;
        }
        return valid_ > 0 ? state_.result() : null<double>;
    }
    int64_t memoryBytes() const { return 0; }

private:
    State state_;
    int64_t valid_ = 0;
};

// The sum of integers in a window, which is exact in any order.
template <class Total>
class SlidingTotal {
public:
    explicit SlidingTotal(const RollingWindow& window) : window_(window), rows_(window.length + 1) {}

    int64_t next(int64_t x) {
        rows_.put(row_, x);
        if (!isNull(x)) {
            total_.add(x);
            ++valid_;
        }
        if (const int64_t leaving = row_ - window_.length; leaving >= 0 && !isNull(rows_[leaving])) {
            total_.subtract(rows_[leaving]);
            --valid_;
        }
        return window_.complete(row_++, valid_) ? total_.orNull() : null<int64_t>;
    }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    RollingWindow window_;
    Ring<int64_t> rows_;
    Total total_;
    int64_t row_ = 0, valid_ = 0;
};

// The total of all integers so far.
template <class Total>
class RunningTotal {
public:
    int64_t next(int64_t x) {
        if (!isNull(x)) {
            total_.add(x);
            ++valid_;
        }
        return valid_ > 0 ? total_.orNull() : null<int64_t>;
    }
    int64_t memoryBytes() const { return 0; }

private:
    Total total_;
    int64_t valid_ = 0;
};

}  // namespace pelorus
