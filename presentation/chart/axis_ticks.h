// Ticks of the axes of a chart.
#pragma once

#include <string>
#include <vector>

#include "common/type_table.h"

namespace pelorus {

struct AxisTick {
    double position = 0;
    std::string label;
};

// Returns ticks at multiples of 1, 2 or 5 times a power of ten, within [min, max], at most `most` + 1. Labels have as
// many decimals as the distance of two ticks needs. Empty when the bounds are not finite or min > max.
std::vector<AxisTick> linearTicks(double min, double max, int most);

// Returns ticks of a temporal type, whose bounds are its stored integers: at full seconds, minutes, hours, days, months
// or years. A label has the parts of a time that change from tick to tick, and the date where days change.
std::vector<AxisTick> temporalTicks(Type type, double min, double max, int most);

// The bounds [min, max] widened to ticks; a range of no width is widened by what surrounds it.
struct AxisBounds {
    double min = 0, max = 1;
};
AxisBounds roundedBounds(double min, double max, int most);

// Returns a number in few characters: 1,500,000 as 1.5M, 0.00001 as 1e-05.
std::string shortNumber(double number);

}  // namespace pelorus
