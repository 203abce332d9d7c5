// Colors and sizes of charts.
#pragma once

#include <cstdint>

#include "presentation/chart/drawing.h"

namespace pelorus {

struct ChartStyle {
    bool isDark = false;

    Color background() const;
    Color foreground() const;
    Color grid() const;
    // Colors repeat after ten series. They differ in lightness, too, and so for people who do not tell hues apart.
    Color series(int64_t i) const;
    // Returns the color of a heat map for a share between 0 (lowest) and 1.
    Color heat(double share) const;
    Color rising() const;
    Color falling() const;

    static constexpr double kFontSize = 12, kTitleSize = 15;
};

}  // namespace pelorus
