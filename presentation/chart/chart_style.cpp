#include "presentation/chart/chart_style.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pelorus {

Color ChartStyle::background() const {
    return isDark ? Color{0x1f, 0x1f, 0x1f} : Color{0xff, 0xff, 0xff};
}
Color ChartStyle::foreground() const {
    return isDark ? Color{0xcc, 0xcc, 0xcc} : Color{0x33, 0x33, 0x33};
}
Color ChartStyle::grid() const {
    return isDark ? Color{0x3c, 0x3c, 0x3c} : Color{0xe2, 0xe2, 0xe2};
}

Color ChartStyle::series(int64_t i) const {
    // Tableau's ten colors; for dark backgrounds the lighter ones.
    constexpr std::array<Color, 10> kLight = {{{0x1f, 0x77, 0xb4},
                                               {0xff, 0x7f, 0x0e},
                                               {0x2c, 0xa0, 0x2c},
                                               {0xd6, 0x27, 0x28},
                                               {0x94, 0x67, 0xbd},
                                               {0x8c, 0x56, 0x4b},
                                               {0xe3, 0x77, 0xc2},
                                               {0x7f, 0x7f, 0x7f},
                                               {0xbc, 0xbd, 0x22},
                                               {0x17, 0xbe, 0xcf}}};
    constexpr std::array<Color, 10> kDark = {{{0x58, 0xa6, 0xe6},
                                              {0xff, 0x9f, 0x45},
                                              {0x5f, 0xc9, 0x5f},
                                              {0xf0, 0x6a, 0x6a},
                                              {0xb8, 0x94, 0xdd},
                                              {0xbf, 0x8f, 0x82},
                                              {0xf0, 0xa5, 0xd8},
                                              {0xb0, 0xb0, 0xb0},
                                              {0xd8, 0xd8, 0x55},
                                              {0x5d, 0xd8, 0xe6}}};
    return (isDark ? kDark : kLight)[static_cast<size_t>(i) % kLight.size()];
}

Color ChartStyle::heat(double share) const {
    // Points of the color map viridis, whose lightness rises evenly.
    constexpr std::array<Color, 6> kViridis = {{{0x44, 0x01, 0x54},
                                                {0x41, 0x44, 0x87},
                                                {0x2a, 0x78, 0x8e},
                                                {0x22, 0xa8, 0x84},
                                                {0x7a, 0xd1, 0x51},
                                                {0xfd, 0xe7, 0x25}}};
    const double place = std::clamp(share, 0.0, 1.0) * (kViridis.size() - 1);
    const auto i = std::min(static_cast<size_t>(place), kViridis.size() - 2);
    const double part = place - static_cast<double>(i);
    const auto mix = [&](uint8_t a, uint8_t b) { return static_cast<uint8_t>(std::lround(a + part * (b - a))); };
    const Color &a = kViridis[i], &b = kViridis[i + 1];
    return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

Color ChartStyle::rising() const {
    return isDark ? Color{0x4c, 0xc3, 0x8a} : Color{0x1a, 0x96, 0x5c};
}
Color ChartStyle::falling() const {
    return isDark ? Color{0xf0, 0x6a, 0x6a} : Color{0xd2, 0x3b, 0x3b};
}

}  // namespace pelorus
