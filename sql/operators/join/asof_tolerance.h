// Max distance of the match of an as-of join from its left row.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/value/vector.h"

namespace pelorus {

class AsofTolerance {
public:
    // `given`: NULL for no bound, an integer that counts units of the key, or a DURATION of any unit; none is negative.
    // `leftTimes`: the key called `name`, in the type in which both sides are compared. Throws UserError for a DURATION
    // where the key is no time, or no time that can be so far away.
    AsofTolerance(const Value& given, const Value& leftTimes, const std::string& name);

    bool isBounded() const { return isBounded_; }
    // Whether left row i, of the time `left`, may have a match of the time `right`. Both ends are included.
    bool allows(size_t i, int64_t left, int64_t right) const {
        if (!earliest_) return (left < right ? distance(left, right) : distance(right, left)) <= most_;
        return earliest_->data<int64_t>()[i] <= right && right <= latest_->data<int64_t>()[i];
    }

    // REQUIRES: low <= high.
    static uint64_t distance(int64_t low, int64_t high) {
        return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    }

private:
    bool isBounded_ = false;
    uint64_t most_ = 0;              // in units of the key
    Ref<Vector> earliest_, latest_;  // per left row, where a unit such as a month has no fixed length
};

}  // namespace pelorus
