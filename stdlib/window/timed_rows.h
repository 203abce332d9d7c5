// Windows in time that go on as rows come, for tm… functions of streams: what slide() does over whole columns.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/kernel/rolling/ring_history.h"
#include "stdlib/window/rolling_order.h"
#include "stdlib/window/sliding_state.h"
#include "stdlib/window/time_axis.h"

namespace pelorus {

// The rows of one group's window in time. Core has put(i, x, y), which keeps a row, valid(i), add(i), remove(i),
// result(), grow(begin, end), which makes place for one more row after those, and memoryBytes().
//
// A time that falls counts as the latest one before it.
template <class Core>
class TimedRow {
public:
    explicit TimedRow(Core core) : core_(std::move(core)), times_(kFirstRows) { core_.grow(0, kFirstRows - 1); }

    // Takes a row; its window has the rows after `open`. Both are NULL for a row without a time.
    template <class T>
    auto next(int64_t time, int64_t open, T x, T y) {
        if (row_ - begin_ == rows_) grow();
        core_.put(row_, x, y);
        times_.put(row_, time);
        if (core_.valid(row_)) {
            core_.add(row_);
            ++valid_;
        }
        const bool isMissing = isNull(time);
        if (!isMissing) {
            if (!isNull(open_)) open = std::max(open, open_);
            open_ = open;
            for (; begin_ < row_ && (isNull(times_[begin_]) || times_[begin_] <= open); ++begin_) {
                if (!core_.valid(begin_)) continue;
                core_.remove(begin_);
                --valid_;
            }
        }
        ++row_;
        using Result = decltype(core_.result());
        return valid_ >= 1 && !isMissing ? core_.result() : null<Result>;
    }
    int64_t memoryBytes() const { return times_.memoryBytes() + core_.memoryBytes(); }

private:
    static constexpr int64_t kFirstRows = 8;

    void grow() {
        core_.grow(begin_, row_);
        times_.grow(begin_, row_);
        rows_ *= 2;
    }

    Core core_;
    Ring<int64_t> times_;
    int64_t rows_ = kFirstRows;  // that the rings hold
    int64_t begin_ = 0, row_ = 0, valid_ = 0;
    int64_t open_ = null<int64_t>;  // of the latest row with a time
};

// An aggregate's own state over one or two columns.
template <class State, size_t kVectors>
class TimedState {
public:
    TimedState() : state_(RingHistory<kVectors>(1)) {}
    void put(int64_t i, double x, double y) { state_.history().put(i, x, y); }
    bool valid(int64_t i) { return state_.history().valid(i); }
    void add(int64_t i) { state_.add(i); }
    void remove(int64_t i) { state_.remove(i); }
    double result() const { return state_.whole().result(); }
    void grow(int64_t begin, int64_t end) { state_.history().grow(begin, end); }
    int64_t memoryBytes() const { return state_.memoryBytes(); }

private:
    SlidingState<State, kVectors, RingHistory<kVectors>> state_;
};

// The sum of integers, which is exact in any order.
template <class Total>
class TimedTotal {
public:
    void put(int64_t i, int64_t x, int64_t) { rows_.put(i, x); }
    bool valid(int64_t i) const { return !isNull(rows_[i]); }
    void add(int64_t i) { total_.add(rows_[i]); }
    void remove(int64_t i) { total_.subtract(rows_[i]); }
    int64_t result() const { return total_.orNull(); }
    void grow(int64_t begin, int64_t end) { rows_.grow(begin, end); }
    int64_t memoryBytes() const { return rows_.memoryBytes(); }

private:
    Ring<int64_t> rows_{1};
    Total total_;
};

// The smallest or largest element, by the order of integers or of floats.
template <bool kMax, class T>
class TimedExtreme {
public:
    TimedExtreme() : state_(Ring<T>(1)) {}
    void put(int64_t i, T x, T) { state_.elements().put(i, x); }
    bool valid(int64_t i) { return !isNull(state_.elements()[i]); }
    void add(int64_t i) { state_.add(i); }
    void remove(int64_t i) { state_.remove(i); }
    T result() { return state_.elements()[state_.row()]; }
    void grow(int64_t begin, int64_t end) { state_.elements().grow(begin, end); }
    int64_t memoryBytes() const { return state_.memoryBytes(); }

private:
    RollingExtreme<kMax, false, Ring<T>> state_;
};

// The states of tmf(T, X, [Y], …, window): `In` is what X and Y are read as, `gives` the type of the results.
template <class Core, size_t kVectors, class In>
class GroupTimed final : public RollingStates {
public:
    GroupTimed(Core core, Value window, Type gives)
        : empty_(std::move(core)), window_(std::move(window)), gives_(gives) {}

    void resize(int64_t groups) override { rows_.resize(static_cast<size_t>(groups), empty_); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const TimeAxis times = TimeAxis::inAnyOrder(Ref<Vector>(&arguments[0].vector()), 0, "T");
        const std::vector<int64_t> open = times.moved(window_, true, 0);
        const Ref<Vector> x = cast(arguments[1].vector(), naturalType<In>());
        const Ref<Vector> y = kVectors == 2 ? cast(arguments[2].vector(), naturalType<In>()) : x;
        const In *first = x->data<In>(), *second = y->data<In>();
        using Out = decltype(std::declval<Core>().result());
        Ref<Vector> out = Vector::make(naturalType<Out>(), count);
        Out* result = out->mutableData<Out>();
        for (int64_t i = 0; i < count; ++i) {
            result[i] = rows_[static_cast<size_t>(groups[i])].next(times.at(i), open[static_cast<size_t>(i)], first[i],
                                                                   second[i]);
        }
        return gives_ == naturalType<Out>() ? Value::of(out) : Value::of(cast(*out, gives_));
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) rows_[static_cast<size_t>(groups[i])] = empty_;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(rows_, groups); }
    int64_t memoryBytes() const override {
        int64_t bytes = static_cast<int64_t>(rows_.capacity() * sizeof(rows_[0]));
        for (const auto& row : rows_) bytes += row.memoryBytes();
        return bytes;
    }

private:
    const TimedRow<Core> empty_;
    const Value window_;
    const Type gives_;
    std::vector<TimedRow<Core>> rows_;
};

// Returns whether a call f(T, X, …) has times and, at position `window`, a constant window in their unit that it takes.
bool hasTimedWindow(std::span<const Type> types, std::span<const Value> constants, size_t window);

// Returns the states of tmf(T, X, [Y], window) over an aggregate's state; null where the call says what is wrong.
template <class State, size_t kVectors>
std::unique_ptr<RollingStates> timedStates(std::span<const Type> types, std::span<const Value> constants) {
    constexpr size_t kWindow = 1 + kVectors;
    if (!hasTimedWindow(types, constants, kWindow) || !areReals(types.subspan(1), kVectors)) return nullptr;
    using Core = TimedState<State, kVectors>;
    return std::make_unique<GroupTimed<Core, kVectors, double>>(Core(), constants[kWindow], Type::Double);
}

}  // namespace pelorus
