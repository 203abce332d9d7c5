#include "presentation/chart/braille_canvas.h"

#include <array>
#include <cstdlib>

namespace pelorus {

void BrailleCanvas::dot(int x, int y, int color) {
    if (x < 0 || y < 0 || x >= dotsAcross() || y >= dotsDown()) return;
    // Unicode numbers the dots down the left column, down the right one, and then the fourth row.
    static constexpr uint8_t kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const auto cell = static_cast<size_t>(y / 4 * columns_ + x / 2);
    dots_[cell] |= kBits[y % 4][x % 2];
    colors_[cell] = static_cast<int8_t>(color);
}

// Bresenham's algorithm.
void BrailleCanvas::line(int x0, int y0, int x1, int y1, int color) {
    const int dx = std::abs(x1 - x0), dy = -std::abs(y1 - y0);
    const int stepX = x0 < x1 ? 1 : -1, stepY = y0 < y1 ? 1 : -1;
    int error = dx + dy;
    while (true) {
        dot(x0, y0, color);
        if (x0 == x1 && y0 == y1) return;
        const int twice = 2 * error;
        if (twice >= dy) error += dy, x0 += stepX;
        if (twice <= dx) error += dx, y0 += stepY;
    }
}

std::string BrailleCanvas::row(int row, bool hasColors) const {
    std::string text;
    int current = -1;
    for (int x = 0; x < columns_; ++x) {
        const auto cell = static_cast<size_t>(row * columns_ + x);
        const int color = dots_[cell] == 0 ? -1 : colors_[cell];
        if (hasColors && color != current && color >= 0) text += seriesColor(color);
        if (color >= 0) current = color;
        if (dots_[cell] == 0) {
            text += ' ';
            continue;
        }
        // U+2800 and the dots, in UTF-8.
        text += '\xE2';
        text += static_cast<char>(0xA0 | (dots_[cell] >> 6));
        text += static_cast<char>(0x80 | (dots_[cell] & 0x3F));
    }
    if (hasColors && current >= 0) text += "\033[0m";
    return text;
}

const char* BrailleCanvas::seriesColor(int i) {
    constexpr std::array<const char*, 6> kColors = {"\033[36m", "\033[33m", "\033[32m",
                                                    "\033[35m", "\033[34m", "\033[31m"};
    return kColors[static_cast<size_t>(i) % kColors.size()];
}

}  // namespace pelorus
