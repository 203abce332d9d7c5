// The first rows of each group so far in the order of a sorting column, for cum…TopN functions.
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/kernel/rolling/group_rolling.h"
#include "stdlib/window/window_top_rows.h"

namespace pelorus {

// Rows that no later row can let in are not kept: a group has at most `top` rows, and those that tie with the last.
// `S` is what the sorting column is read as, `In` what X and Y are; Aggregate has add(x) or add(x, y), and result().
template <class S, class In, size_t kVectors, class Aggregate>
class RunningTopRows final : public RollingStates {
public:
    RunningTopRows(Aggregate empty, int64_t top, bool ascending, Ties ties)
        : empty_(std::move(empty)), top_(top), ascending_(ascending), ties_(ties) {}

    void resize(int64_t groups) override { groups_.resize(static_cast<size_t>(groups)); }
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        using Out = decltype(std::declval<Aggregate>().result());
        const Ref<Vector> x = cast(arguments[0].vector(), naturalType<In>());
        const Ref<Vector> y = kVectors == 2 ? cast(arguments[1].vector(), naturalType<In>()) : x;
        const Ref<Vector> sorting = sortingColumn(arguments[kVectors].vector());
        Ref<Vector> out = Vector::make(naturalType<Out>(), count);
        for (int64_t i = 0; i < count; ++i) {
            Group& group = groups_[static_cast<size_t>(groups[i])];
            const S s = sorting->template data<S>()[i];
            if (!isNull(s)) take(group, {s, group.rows, x->template data<In>()[i], y->template data<In>()[i]});
            ++group.rows;
            out->template mutableData<Out>()[i] = resultOf(group);
        }
        return Value::of(out);
    }
    void clear(const int32_t* groups, int64_t count) override {
        for (int64_t i = 0; i < count; ++i) groups_[static_cast<size_t>(groups[i])] = {};
    }
    void keep(std::span<const int32_t> groups) override { keepGroups(groups_, groups); }
    int64_t memoryBytes() const override {
        int64_t bytes = static_cast<int64_t>(groups_.capacity() * sizeof(Group));
        for (const Group& group : groups_) bytes += static_cast<int64_t>(group.first.capacity() * sizeof(Row));
        return bytes;
    }

private:
    struct Row {
        S s;
        int64_t number;  // in its group
        In x, y;
    };
    struct Group {
        std::vector<Row> first;  // in order
        int64_t rows = 0;
    };

    static Ref<Vector> sortingColumn(const Vector& v) {
        if constexpr (std::is_same_v<S, double>) {
            return cast(v, Type::Double);
        } else {
            return storedIntegers(v);
        }
    }
    bool isBefore(const Row& a, const Row& b) const {
        if (a.s != b.s) return ascending_ ? a.s < b.s : b.s < a.s;
        return ties_ == Ties::Latest ? a.number > b.number : a.number < b.number;
    }
    void take(Group& group, const Row& row) const {
        std::vector<Row>& first = group.first;
        const auto place = std::upper_bound(first.begin(), first.end(), row,
                                            [&](const Row& a, const Row& b) { return isBefore(a, b); });
        if (place - first.begin() >= top_ && (ties_ != Ties::All || first[static_cast<size_t>(top_ - 1)].s != row.s))
            return;
        first.insert(place, row);
        auto end = std::min<int64_t>(top_, std::ssize(first));
        while (ties_ == Ties::All && end < std::ssize(first) &&
               first[static_cast<size_t>(end)].s == first[static_cast<size_t>(end - 1)].s)
            ++end;
        first.erase(first.begin() + end, first.end());
    }
    auto resultOf(const Group& group) const {
        using Out = decltype(std::declval<Aggregate>().result());
        if (group.first.empty()) return null<Out>;
        Aggregate aggregate = empty_;
        for (const Row& row : group.first) {
            if (isNull(row.x) || isNull(row.y)) continue;
            if constexpr (kVectors == 2) {
                aggregate.add(row.x, row.y);
            } else {
                aggregate.add(row.x);
            }
        }
        return aggregate.result();
    }

    const Aggregate empty_;
    const int64_t top_;
    const bool ascending_;
    const Ties ties_;
    std::vector<Group> groups_;
};

}  // namespace pelorus
