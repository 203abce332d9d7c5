// States of functions that look back at all rows of a group: ranges to the left, common starts.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/kernel/rolling/group_rolling.h"
#include "runtime/registry/declaration.h"

namespace pelorus {

// How many elements directly to the left of a group's last one are smaller (or larger); NULL is the smallest. Keeps the
// rows that may end the run of a later one.
template <bool kTop, class T>
class RangeRow {
public:
    int32_t next(T x) {
        while (!ends_.empty() && (kTop ? ends_.back().first < x : ends_.back().first > x)) ends_.pop_back();
        const int64_t from = ends_.empty() ? -1 : ends_.back().second;
        ends_.emplace_back(x, row_);
        return static_cast<int32_t>(row_++ - from - 1);
    }
    int64_t memoryBytes() const { return static_cast<int64_t>(ends_.capacity() * sizeof(ends_[0])); }

private:
    std::vector<std::pair<T, int64_t>> ends_;  // elements with their rows
    int64_t row_ = 0;
};

// topRange(X) and lowRange(X)
template <bool kTop>
std::unique_ptr<RollingStates> rangeStates(std::span<const Type> types, std::span<const Value>) {
    if (!areReals(types, 1) || isDecimal(types[0])) return nullptr;
    if (isFloating(types[0])) {
        using Row = RangeRow<kTop, double>;
        return std::make_unique<GroupRolling<Row, 1, double, int32_t>>(Row(), Type::Int);
    }
    using Row = RangeRow<kTop, int64_t>;
    return std::make_unique<GroupRolling<Row, 1, int64_t, int32_t>>(Row(), Type::Int);
}

// talibNull(args…): the columns, NULL up to the first row of a group in which all have a value.
std::unique_ptr<RollingStates> commonStartStates(std::span<const Type> types, std::span<const Value> constants);

}  // namespace pelorus
