// RollingStates goes on with a function that looks back, row by row, for many groups at once: what msum(x, 20) is over
// a column that never ends.
//
// A function that has such states (Declaration::rolling) returns for each row the same bits as its call over all rows
// of the group so far, since both compute with one state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

class CallingStates;

// The states of one call, one per group. Not thread-safe.
class RollingStates {
public:
    virtual ~RollingStates() = default;
    // New groups start without rows.
    virtual void resize(int64_t groups) = 0;
    // Takes `count` rows, row i into groups[i], those of a group in their order, and returns the results: a vector of
    // as many elements, or a tuple of such vectors of a function with several results. Arguments are vectors of `count`
    // elements, of the types for which the states were made; constants are left as they were given then. Throws
    // nothing but for memory.
    virtual Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) = 0;
    // Takes rows of groups that lie one after the other, group g in rows [begin[g], begin[g + 1]), and returns what
    // step does for new groups. It keeps no states of them: many groups cost what one of all their rows does.
    virtual Value stepGroups(std::span<const Value> arguments, std::span<const int32_t> begin) {
        std::vector<int32_t> groups(static_cast<size_t>(begin.back() - begin.front()));
        std::vector<int32_t> all(begin.size() - 1);
        for (size_t g = 0; g < all.size(); ++g) {
            all[g] = static_cast<int32_t>(g);
            std::fill(groups.begin() + (begin[g] - begin[0]), groups.begin() + (begin[g + 1] - begin[0]), all[g]);
        }
        resize(static_cast<int64_t>(all.size()));
        clear(all.data(), static_cast<int64_t>(all.size()));
        return step(arguments, groups.data(), static_cast<int64_t>(groups.size()));
    }
    // Lets groups start anew.
    virtual void clear(const int32_t* groups, int64_t count) = 0;
    // Forgets all groups but these, which are numbered anew in this order. REQUIRES: they ascend.
    virtual void keep(std::span<const int32_t> groups) = 0;
    // Returns the approximate size of the states.
    virtual int64_t memoryBytes() const = 0;
    // Returns these states if their steps need a context (calling_states.h), else null.
    virtual CallingStates* asCalling() { return nullptr; }
};

// Keeps the elements of these groups, `width` of each, as RollingStates::keep asks.
template <class T>
void keepGroups(std::vector<T>& elements, std::span<const int32_t> groups, int64_t width = 1) {
    auto to = elements.begin();
    for (const int32_t group : groups) {
        const auto from = elements.begin() + group * width;
        if (from != to) std::move(from, from + width, to);
        to += width;
    }
    elements.erase(to, elements.end());
    elements.shrink_to_fit();
}

}  // namespace pelorus
