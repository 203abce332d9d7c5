#include "stdlib/statistics/quantile.h"

#include <algorithm>
#include <cmath>

#include "common/type_table.h"
#include "stdlib/arguments.h"

namespace pelorus {

Interpolation interpolationArgument(Arguments arguments, size_t i) {
    std::string name = stringArgument(arguments, i, "interpolation", "linear");
    if (name == "linear") return Interpolation::Linear;
    if (name == "lower") return Interpolation::Lower;
    if (name == "higher") return Interpolation::Higher;
    if (name == "nearest") return Interpolation::Nearest;
    if (name == "midpoint") return Interpolation::Midpoint;
    refuseArgument(i, "interpolation", "linear, lower, higher, nearest or midpoint", arguments[i]);
}

double interpolated(double below, double above, double share, int64_t low, Interpolation interpolation) {
    if (share == 0) return below;  // infinities on both sides have no difference
    switch (interpolation) {
        case Interpolation::Lower:
            return below;
        case Interpolation::Higher:
            return above;
        case Interpolation::Nearest:
            return share < 0.5 || (share == 0.5 && low % 2 == 0) ? below : above;
        case Interpolation::Midpoint:
            return below + (above - below) / 2;
        default:
            return below + (above - below) * share;
    }
}

double quantileOf(std::vector<double>& elements, double q, Interpolation interpolation) {
    if (elements.empty()) return null<double>;
    double at = q * static_cast<double>(elements.size() - 1);
    auto low = static_cast<size_t>(std::floor(at)), high = static_cast<size_t>(std::ceil(at));
    std::nth_element(elements.begin(), elements.begin() + static_cast<ptrdiff_t>(low), elements.end());
    double below = elements[low];
    double above =
        high == low ? below : *std::min_element(elements.begin() + static_cast<ptrdiff_t>(low) + 1, elements.end());
    double share = at - static_cast<double>(low);
    return interpolated(below, above, share, static_cast<int64_t>(low), interpolation);
}

}  // namespace pelorus
