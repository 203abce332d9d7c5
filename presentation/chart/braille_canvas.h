// Canvas of braille characters for a terminal: two by four dots per character, each character in one color.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pelorus {

class BrailleCanvas {
public:
    BrailleCanvas(int columns, int rows) : columns_(columns), rows_(rows) {
        dots_.resize(static_cast<size_t>(columns * rows));
        colors_.resize(dots_.size());
    }

    int dotsAcross() const { return columns_ * 2; }
    int dotsDown() const { return rows_ * 4; }

    // Sets the dot at a place from the top left corner; places outside are ignored. The last color of a character
    // holds.
    void dot(int x, int y, int color);
    void line(int x0, int y0, int x1, int y1, int color);
    // Returns a row of characters; `hasColors` adds ANSI sequences, color i as `seriesColor(i)`.
    std::string row(int row, bool hasColors) const;

    // The ANSI sequence of a series; they repeat after six.
    static const char* seriesColor(int i);

private:
    int columns_, rows_;
    std::vector<uint8_t> dots_;
    std::vector<int8_t> colors_;
};

}  // namespace pelorus
