// Rolling states made of a struct: functions that go on row by row in many groups.
//
// A struct has next(x) or next(x, y), which takes a row's elements and returns its result, and memoryBytes().
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/kernel/rolling/rolling_states.h"
#include "runtime/registry/scalar_form.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"

namespace pelorus {

inline bool areReals(std::span<const Type> types, size_t vectors) {
    return types.size() >= vectors && std::all_of(types.begin(), types.begin() + static_cast<ptrdiff_t>(vectors),
                                                  [](Type type) { return isNumeric(type) || isDecimal(type); });
}

// The states of a struct over one or two columns, as type In; results are of type Out, converted to `gives`.
template <class State, size_t kVectors, class In = double, class Out = double>
class GroupRolling final : public RollingStates {
public:
    // The columns are arguments `first` and `second`.
    GroupRolling(State empty, Type gives, size_t second = 1, size_t first = 0)
        : empty_(std::move(empty)), gives_(gives), first_(first), second_(second) {}

    void resize(int64_t groups) override { states_.resize(static_cast<size_t>(groups), empty_); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        return computed(arguments, count, [&](const auto& next, Out* result) {
            for (int64_t i = 0; i < count; ++i) result[i] = next(states_[static_cast<size_t>(groups[i])], i);
        });
    }
    Value stepGroups(std::span<const Value> arguments, std::span<const int32_t> begin) override {
        return computed(arguments, begin.back() - begin.front(), [&](const auto& next, Out* result) {
            State state = empty_;
            for (size_t g = 0; g + 1 < begin.size(); ++g) {
                if (g > 0) state = empty_;
                for (int64_t i = begin[g] - begin[0], end = begin[g + 1] - begin[0]; i < end; ++i)
                    result[i] = next(state, i);
            }
        });
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) states_[static_cast<size_t>(groups[i])] = empty_;
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(states_, groups); }
    int64_t memoryBytes() const override {
        int64_t bytes = static_cast<int64_t>(states_.capacity() * sizeof(State));
        for (const State& state : states_) bytes += state.memoryBytes();
        return bytes;
    }

private:
    // Calls f(next, result) to write the results; next(state, i) takes row i of the columns into a state.
    template <class F>
    Value computed(std::span<const Value> arguments, int64_t count, const F& f) const {
        const Ref<Vector> x = cast(arguments[first_].vector(), naturalType<In>());
        const Ref<Vector> y = kVectors == 2 ? cast(arguments[second_].vector(), naturalType<In>()) : Ref<Vector>();
        Ref<Vector> out = Vector::make(naturalType<Out>(), count);
        const In* const first = x->data<In>();
        const In* const second = kVectors == 2 ? y->data<In>() : nullptr;
        const auto next = [=](State& state, int64_t i) {
            (void)second;
            if constexpr (kVectors == 2) {
                return state.next(first[i], second[i]);
            } else {
                return state.next(first[i]);
            }
        };
        f(next, out->mutableData<Out>());
        return gives_ == naturalType<Out>() ? Value::of(out) : Value::of(cast(*out, gives_));
    }

    const State empty_;
    const Type gives_;
    const size_t first_, second_;
    std::vector<State> states_;
};

}  // namespace pelorus
