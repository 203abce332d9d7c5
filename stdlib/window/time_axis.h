// Times as the numbers that time windows compare.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus {

class TimeAxis {
public:
    // `times` is temporal or integral and must not fall; NULLs belong to no window. `argument` and `name` are for
    // errors.
    TimeAxis(Ref<Vector> times, int argument, const char* name);
    // The same of times that may fall, such as those of several groups.
    static TimeAxis inAnyOrder(Ref<Vector> times, int argument, const char* name);

    int64_t size() const { return times_->size(); }
    bool isMissing(int64_t i) const { return isNull(points_[static_cast<size_t>(i)]); }
    int64_t at(int64_t i) const { return points_[static_cast<size_t>(i)]; }

    // The points moved on (or back) by an integer in the unit of the times or by a DURATION; months keep the day.
    // Throws UserError, naming `argument`, when the duration does not fit the times.
    std::vector<int64_t> moved(const Value& offset, bool back, int argument) const;

    // Removes a daily break, a pair of times of day, from the axis: the times on both sides become neighbours.
    void exclude(const Value& period, int argument);

private:
    TimeAxis() = default;
    void read(int argument, const char* name);

    bool hasBreak_ = false;
    Ref<Vector> times_;
    std::vector<int64_t> points_;
};

}  // namespace pelorus
