// The values of a chart at a place of its x axis, for a pointer that moves over it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/chart/chart.h"

namespace pelorus {

struct PointReading {
    double share = 0;                                          // where the point is: 0 the begin of the axis, 1 its end
    std::string label;                                         // of the point on the x axis
    std::vector<std::pair<std::string, std::string>> values;  // name and value of each series, those that are NULL too
};

// Returns the point nearest to a share of the whole x axis; nothing for kinds without points on an x axis, and without
// points. O(points).
std::optional<PointReading> readPoint(const Chart& chart, double share);

}  // namespace pelorus
