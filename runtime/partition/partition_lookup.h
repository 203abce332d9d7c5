// Lookup tables of a partition level, shared by building it, placing rows and searching it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "common/error.h"
#include "common/thread/once.h"
#include "runtime/partition/partition_scheme.h"

namespace pelorus {

// The lookup tables of a level: integer keys by value, string keys by their bytes. RANGE uses `boundaries` or
// `stringBoundaries` only.
struct PartitionLevel::Lookup {
    int64_t denseFrom = 0;
    std::vector<int32_t> dense;
    std::unordered_map<int64_t, int32_t> integers;
    std::unordered_map<std::string_view, int32_t> strings;  // into the level's keys
    std::vector<int64_t> boundaries;
    std::vector<std::string_view> stringBoundaries;
    mutable Once sorted;
    mutable std::vector<int32_t> ascending;  // positions of VALUE and LIST keys by their order, once `sorted`

    int32_t find(int64_t x) const {
        if (!dense.empty()) {
            const auto at = static_cast<uint64_t>(x) - static_cast<uint64_t>(denseFrom);
            return at < dense.size() ? dense[at] : -1;
        }
        auto it = integers.find(x);
        return it == integers.end() ? -1 : it->second;
    }
    int32_t find(std::string_view string) const {
        auto it = strings.find(string);
        return it == strings.end() ? -1 : it->second;
    }
    int32_t findRange(int64_t x) const {
        const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), x);
        return above == boundaries.end() ? -1 : static_cast<int32_t>(above - boundaries.begin()) - 1;
    }
    int32_t findRange(std::string_view string) const {
        const auto above = std::upper_bound(stringBoundaries.begin(), stringBoundaries.end(), string);
        return above == stringBoundaries.end() ? -1 : static_cast<int32_t>(above - stringBoundaries.begin()) - 1;
    }
};

// Calls f with the stored integers of an integral or temporal vector.
template <class F>
void onIntegers(const Vector& column, F&& f) {
    switch (storageOf(column.type())) {
        case Storage::Int8:
            return f(column.data<int8_t>());
        case Storage::Int16:
            return f(column.data<int16_t>());
        case Storage::Int32:
            return f(column.data<int32_t>());
        case Storage::Int64:
            return f(column.data<int64_t>());
        default:
            throw InternalError("partition keys of this type are no integers");
    }
}

// Calls f with each position and its integer; NULL as null<int64_t>.
template <class F>
void forEachInteger(const Vector& column, F&& f) {
    onIntegers(column, [&](const auto* elements) {
        using T = std::remove_cvref_t<decltype(*elements)>;
        for (int64_t i = 0; i < column.size(); ++i)
            f(i, elements[i] == null<T> ? null<int64_t> : static_cast<int64_t>(elements[i]));
    });
}

// Returns whether temporal values of `from` can be placed among keys of `to`: the same type, or a finer one.
bool placesTemporal(Type from, Type to);

}  // namespace pelorus
