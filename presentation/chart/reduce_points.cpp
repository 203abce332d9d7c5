#include "presentation/chart/reduce_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pelorus {

namespace {

// Consecutive points in one pixel column.
struct ColumnRun {
    Point first, min, max, last;
    size_t minPlace = 0, maxPlace = 0, lastPlace = 0;

    explicit ColumnRun(Point p, size_t place)
        : first(p), min(p), max(p), last(p), minPlace(place), maxPlace(place), lastPlace(place) {}

    void add(Point p, size_t place) {
        if (p.y < min.y) min = p, minPlace = place;
        if (p.y > max.y) max = p, maxPlace = place;
        last = p;
        lastPlace = place;
    }
    void write(std::vector<Point>& line) const {
        const size_t firstPlace = line.size();
        line.push_back(first);
        const bool isMinEarlier = minPlace < maxPlace;
        const Point& earlier = isMinEarlier ? min : max;
        const Point& later = isMinEarlier ? max : min;
        for (const Point& p : {earlier, later, last}) {
            if (p.x != line.back().x || p.y != line.back().y || line.size() == firstPlace) line.push_back(p);
        }
    }
};

}  // namespace

std::vector<std::vector<Point>> reduceLine(std::span<const Point> points) {
    std::vector<std::vector<Point>> lines;
    std::vector<Point> line;
    std::vector<ColumnRun> run;  // one at most
    const auto flush = [&] {
        if (!run.empty()) run[0].write(line);
        run.clear();
    };
    for (size_t i = 0; i < points.size(); ++i) {
        const Point& p = points[i];
        if (std::isnan(p.x) || std::isnan(p.y)) {
            flush();
            if (!line.empty()) lines.push_back(std::move(line));
            line.clear();
            continue;
        }
        if (!run.empty() && std::floor(run[0].first.x) == std::floor(p.x)) {
            run[0].add(p, i);
            continue;
        }
        flush();
        run.emplace_back(p, i);
    }
    flush();
    if (!line.empty()) lines.push_back(std::move(line));
    return lines;
}

std::vector<Point> reduceDots(std::span<const Point> points, double width, double height) {
    const auto columns = static_cast<int64_t>(width) + 1, rows = static_cast<int64_t>(height) + 1;
    std::vector<bool> isTaken(static_cast<size_t>(columns * rows));
    std::vector<Point> dots;
    for (const Point& p : points) {
        if (!(p.x >= 0 && p.x < static_cast<double>(columns) && p.y >= 0 && p.y < static_cast<double>(rows))) continue;
        const auto pixel = static_cast<size_t>(static_cast<int64_t>(p.y) * columns + static_cast<int64_t>(p.x));
        if (isTaken[pixel]) continue;
        isTaken[pixel] = true;
        dots.push_back(p);
    }
    return dots;
}

}  // namespace pelorus
