// Lookup structure for repeated membership tests: `x in y` for one y and the blocks of a column.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "common/thread/once.h"
#include "runtime/kernel/lookup/among_integers.h"
#include "runtime/value/key_index.h"
#include "runtime/value/value.h"

namespace pelorus {

// A test of membership in a set or vector. Its lookup structures are built once, when enough elements were tested to be
// worth it. Thread-safe.
class Membership {
public:
    // `among` is a set, or a vector of one type.
    explicit Membership(Value among);

    // Returns isIn(x, among).
    Value of(const Value& x) const;

private:
    Value lookUp(const Value& x) const;
    const KeyIndex& index() const;

    const Value among_;
    mutable std::atomic<int64_t> asked_{0};  // elements so far, of a vector; each call counts for a part of it at least
    mutable Once findingRange_, indexing_;   // guard the two below
    mutable std::optional<AmongIntegers> integers_;
    mutable std::optional<KeyIndex> index_;  // index of a vector; a set has its own
};

}  // namespace pelorus
