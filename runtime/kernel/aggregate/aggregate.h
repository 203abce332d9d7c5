// Aggregates as states with three verbs: add, merge, result. One definition serves a whole vector, the groups of a
// query, the partitions of a table and the nodes of a cluster.
//
// A struct like this one is all that an aggregate needs (NULLs never reach `add`):
//
//   struct Mean {
//       CompensatedSum sum;
//       int64_t count = 0;
//       void add(double x) { sum.add(x); ++count; }
//       void merge(const Mean& other) { sum.merge(other.sum); count += other.count; }
//       double result() const { return count == 0 ? null<double> : sum.value() / double(count); }
//   };
//
// Order. Rows are added in an order that the data alone decides, and states are merged in the order of the data, so the
// result does not depend on threads or nodes.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

// The states of one aggregate, one per group.
class GroupedState {
public:
    virtual ~GroupedState() = default;

    // Sets the scale of results without rows, for decimal arguments. Called before anything else.
    virtual void setScale(uint8_t) {}
    // New groups start empty.
    virtual void resize(int64_t groups) = 0;
    // Adds row i of the arguments to groups[i]; all rows to group 0 when `groups` is nullptr. Each argument is a vector
    // of `count` elements or a scalar that counts for all rows; types are those given to MakeState.
    virtual void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) = 0;
    // Adds state i of `other`, of the same type, to groups[i] of this, one by one: `other` may be this.
    virtual void merge(const GroupedState& other, const int32_t* groups, int64_t count) = 0;
    // Moves state i to place[i] of *parts[part[i]]. REQUIRES: these are of the same type, made for this, and large
    // enough.
    virtual void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
                       int64_t count) const = 0;
    // Returns a vector of one element per group.
    virtual Value results() const = 0;
    // Computes the aggregate of each window [begins[i], ends[i]) of the rows of the arguments, which slides along them:
    // each row is taken in once, and out once. The same to the bit as from a state for each window. VOID where the
    // aggregate, or these arguments, need that; it is then computed so. The states are not changed.
    virtual Value ofWindows(std::span<const Value> /*arguments*/, std::span<const int32_t> /*begins*/,
                            std::span<const int32_t> /*ends*/) const {
        return Value();
    }
    // Returns the approximate size of the states.
    virtual int64_t memoryBytes() const = 0;

    // Returns the states as a tuple of vectors, to be sent to another node.
    virtual Value save() const = 0;
    // Loads saved states. Throws UserError unless there are exactly `groups` states, since they come from outside.
    virtual void load(const Value& saved, int64_t groups) = 0;
};

// A sum by Neumaier's compensated summation (Neumaier 1974): an error of some ulps for any number of values. The
// rounding error of a sum is computed without a comparison (Knuth, The Art of Computer Programming 2, 4.2.2).
struct CompensatedSum {
    double sum = 0;
    double correction = 0;

    [[gnu::always_inline]] void add(double x) {
        const double before = sum;
        const double t = before + x;
        sum = t;
        // The two are stored apart: as one store, the next row of the group would wait for the correction before it
        // could read the sum.
        asm volatile("" ::: "memory");
        const double added = t - before;
        correction += (before - (t - added)) + (x - added);
    }
    void merge(const CompensatedSum& other) {
        add(other.sum);
        correction += other.correction;
    }
    double value() const {
        double v = sum + correction;
        return std::isfinite(v) ? v : sum;
    }
};

}  // namespace pelorus
