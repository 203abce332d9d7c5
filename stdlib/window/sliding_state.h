// An aggregate's own state (add, merge, result) slid over rows, without ever taking a row out of a sum.
//
// Two stacks: of the rows that have been there for long the state from each of them to the youngest of them is kept, so
// that the oldest can leave by dropping one; the newer ones are in a single state. The window's result is the merge of
// the two. Nothing is subtracted: errors do not build up, and an infinity leaves no trace when it has left.
// Amortised O(1) per row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/type_table.h"

namespace pelorus {

// The columns of a rolling function, as DOUBLE; y is set for functions with two arguments.
struct RollingColumns {
    const double* x = nullptr;
    const double* y = nullptr;
    double first(int64_t i) const { return x[i]; }
    double second(int64_t i) const { return y[i]; }
    bool valid(int64_t i) const { return !isNull(x[i]) && (!y || !isNull(y[i])); }
};

// `History` has the rows: whole columns, or the last rows of a stream (ring_history.h).
template <class State, size_t kVectors, class History = RollingColumns>
class SlidingState {
public:
    explicit SlidingState(History columns) : columns_(std::move(columns)) {}
    History& history() { return columns_; }

    [[gnu::always_inline]] void add(int64_t i) {
        feed(young_, i);
        end_ = i + 1;
    }
    // Rows leave in the order in which they were added.
    void remove(int64_t i) {
        if (old_.empty()) turn(i);
        old_.pop_back();
    }
    // Returns the state of all rows in the window.
    State whole() const {
        if (old_.empty()) return young_;
        State state = old_.back();
        state.merge(young_);
        return state;
    }
    int64_t memoryBytes() const { return static_cast<int64_t>(old_.capacity() * sizeof(State)); }

private:
    [[gnu::always_inline]] void feed(State& state, int64_t i) {
        if constexpr (kVectors == 1) {
            state.add(columns_.first(i));
        } else {
            state.add(columns_.first(i), columns_.second(i));
        }
    }
    void turn(int64_t oldest) {
        State state;
        for (int64_t k = end_ - 1; k >= oldest; --k) {
            if (!columns_.valid(k)) continue;
            feed(state, k);
            old_.push_back(state);
        }
        young_ = State();
    }

    History columns_;
    std::vector<State> old_;  // the last is the state of all old rows
    State young_;
    int64_t end_ = 0;
};

}  // namespace pelorus
