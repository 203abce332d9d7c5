// Membership in integers: comparing with a handful of them in registers, or testing a bit for each number of their
// range, costs less than hashing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// A set of integer keys with a quick membership test. Immutable once made.
class AmongIntegers {
public:
    // Returns nothing unless the keys are integers or times of integers, and at most 16 or close together. O(keys).
    static std::optional<AmongIntegers> of(const Vector& keys);

    // Writes for each element of x whether it is one of the keys into out (BOOL). Returns false, having written
    // nothing, unless both are integral, or of one temporal type. NULL is found where a key is NULL. O(elements).
    bool find(const Vector& x, int8_t* out) const;

private:
    // Returns false when they are many and far apart.
    template <class T>
    bool addKeys(const Vector& keys);
    template <class T>
    void findItems(const Vector& x, int8_t* out) const;

    Type type_ = Type::Long;
    bool hasNull_ = false;
    std::vector<int64_t> few_;  // keys that are not NULL; none when there are bits
    int64_t least_ = 0;
    uint64_t places_ = 0;  // width of the key range in numbers; each has a bit
    std::vector<uint64_t> bits_;
};

}  // namespace pelorus
