// Reduction of a series to what a screen can show.
#pragma once

#include <span>
#include <vector>

#include "presentation/chart/drawing.h"

namespace pelorus {

// Returns the points of a polyline without those that no pixel would show: of consecutive points in one pixel column
// the first, min, max and last remain, in their order. A NaN interrupts the line: each result is one piece. At most
// four points per column and piece.
std::vector<std::vector<Point>> reduceLine(std::span<const Point> points);

// Returns the points without those that share a pixel with an earlier one, and without NaN.
std::vector<Point> reduceDots(std::span<const Point> points, double width, double height);

}  // namespace pelorus
