// Points of a plane or a sphere: distance, geoWithin, rdp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

struct Position {
    double x = 0, y = 0;
    bool operator==(const Position&) const = default;
};
static_assert(sizeof(Position) == 16, "as a POINT is stored");

bool isMissing(const Position& p) {
    return isNull(p.x) || isNull(p.y);
}

std::vector<Position> pointsArgument(Arguments a, size_t i, std::string_view name) {
    const Value& given = a[i];
    std::vector<Position> points;
    const auto add = [&](const Value& part) {
        if (part.type() != Type::Point || !(part.isScalar() || part.isTypedVector() || part.isPair()))
            refuseArgument(i, name, "a POINT or a vector of them", given);
        const int64_t count = part.isScalar() ? 1 : part.size();
        const auto* bytes = part.isScalar() ? reinterpret_cast<const char*>(part.bytes16()) : part.vector().raw();
        for (int64_t k = 0; k < count; ++k) std::memcpy(&points.emplace_back(), bytes + 16 * k, 16);
    };
    if (given.isTuple() && given.size() > 0) {
        for (const Value& part : given.tuple().elements) add(part);
    } else {
        add(given);
    }
    return points;
}

// Returns the metres between two places, given as longitude and latitude in degrees, on a sphere of this radius.
constexpr double kEarthRadiusMetres = 6371004;
double metresBetween(const Position& p, const Position& q) {
    constexpr double kDegree = std::numbers::pi / 180;
    const double rise = std::sin((q.y - p.y) * kDegree / 2), turn = std::sin((q.x - p.x) * kDegree / 2);
    const double h = rise * rise + std::cos(p.y * kDegree) * std::cos(q.y * kDegree) * turn * turn;
    return 2 * kEarthRadiusMetres * std::asin(std::sqrt(std::min(1.0, h)));
}

// distance(X, Y)
Value distanceKernel(Context&, Arguments a) {
    const std::vector<Position> x = pointsArgument(a, 0, "X"), y = pointsArgument(a, 1, "Y");
    const bool isScalar = a[0].isScalar() && a[1].isScalar();
    const size_t count = std::max(x.size(), y.size());
    if (!a[0].isScalar() && !a[1].isScalar() && x.size() != y.size())
        throw UserError(1, fmt::format("X and Y differ in length: {} and {}.", x.size(), y.size()));
    std::vector<double> metres(x.empty() || y.empty() ? 0 : count);
    for (size_t i = 0; i < metres.size(); ++i) {
        const Position &p = x[x.size() == 1 ? 0 : i], &q = y[y.size() == 1 ? 0 : i];
        metres[i] = isMissing(p) || isMissing(q) ? null<double> : metresBetween(p, q);
    }
    return isScalar ? Value::ofDouble(metres[0]) : Value::of(Vector::of(Type::Double, metres));
}

double turnOf(const Position& from, const Position& to, const Position& p) {
    return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
}
bool isBetween(const Position& from, const Position& to, const Position& p) {
    return p.x >= std::min(from.x, to.x) && p.x <= std::max(from.x, to.x) && p.y >= std::min(from.y, to.y) &&
           p.y <= std::max(from.y, to.y);
}

// Counts the edges that a ray to the right crosses; one end of an edge counts, the other does not.
bool isWithin(const Position& p, const std::vector<Position>& polygon, bool containsBoundary) {
    bool isInside = false;
    for (size_t i = 0, before = polygon.size() - 1; i < polygon.size(); before = i++) {
        const Position &from = polygon[before], &to = polygon[i];
        if (turnOf(from, to, p) == 0 && isBetween(from, to, p)) return containsBoundary;
        if ((to.y > p.y) != (from.y > p.y) && p.x < (from.x - to.x) * (p.y - to.y) / (from.y - to.y) + to.x)
            isInside = !isInside;
    }
    return isInside;
}

// geoWithin(X, polygonVertices, [containBoundary])
Value geoWithinKernel(Context&, Arguments a) {
    const std::vector<Position> points = pointsArgument(a, 0, "X"), polygon = pointsArgument(a, 1, "polygonVertices");
    const bool containsBoundary = flagArgument(a, 2, "containBoundary", true);
    if (polygon.size() < 3) refuseArgument(1, "polygonVertices", "a vector of three points or more", a[1]);
    if (std::ranges::any_of(polygon, isMissing)) refuseArgument(1, "polygonVertices", "without NULL", a[1]);
    Ref<Vector> results = Vector::make(Type::Bool, static_cast<int64_t>(points.size()));
    for (size_t i = 0; i < points.size(); ++i) {
        if (i % 1024 == 0) checkCancelled();
        results->mutableData<int8_t>()[i] =
            isMissing(points[i]) ? null<int8_t> : static_cast<int8_t>(isWithin(points[i], polygon, containsBoundary));
    }
    return a[0].isScalar() ? results->at(0) : Value::of(std::move(results));
}

double distanceToLine(const Position& from, const Position& to, const Position& p) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    return length == 0 ? std::hypot(p.x - from.x, p.y - from.y) : std::abs(turnOf(from, to, p)) / length;
}

// rdp(pointList, epsilon): keeps the point farthest from the line of a run's ends while it is farther than epsilon, and
// goes on with the runs before and after it.
Value rdpKernel(Context&, Arguments a) {
    const std::vector<Position> points = pointsArgument(a, 0, "pointList");
    if (a[0].isScalar()) refuseArgument(0, "pointList", "a vector of POINT", a[0]);
    if (std::ranges::any_of(points, isMissing)) refuseArgument(0, "pointList", "without NULL", a[0]);
    const double epsilon = realArgument(a, 1, "epsilon");
    if (!(epsilon >= 0)) refuseArgument(1, "epsilon", "0 or more", a[1]);
    std::vector<bool> isKept(points.size(), points.size() < 3);
    std::vector<std::pair<size_t, size_t>> runs;
    if (points.size() >= 3) {
        isKept.front() = isKept.back() = true;
        runs.emplace_back(0, points.size() - 1);
    }
    while (!runs.empty()) {
        checkCancelled();
        const auto [begin, end] = runs.back();
        runs.pop_back();
        size_t farthest = begin;
        double distance = 0;
        for (size_t i = begin + 1; i < end; ++i) {
            const double d = distanceToLine(points[begin], points[end], points[i]);
            if (d > distance) {
                distance = d;
                farthest = i;
            }
        }
        if (!(distance > epsilon)) continue;
        isKept[farthest] = true;
        runs.emplace_back(begin, farthest);
        runs.emplace_back(farthest, end);
    }
    std::vector<Position> kept;
    for (size_t i = 0; i < points.size(); ++i) {
        if (isKept[i]) kept.push_back(points[i]);
    }
    return Value::of(Vector::of(Type::Point, kept));
}

}  // namespace

void registerPoints(FunctionRegistry& registry) {
    registry.add("distance(X, Y)", distanceKernel,
                 {.summary = "The distance between places on the earth, as DOUBLE.",
                  .parameters = "X, Y: a POINT of longitude and latitude in degrees, or a vector or tuple of them; a "
                                "single one is met with each of the other",
                  .units = "metres, on a sphere with a radius of 6371.004 km",
                  .nulls = "NULL where a point is NULL.",
                  .errors = "X or Y is no POINT; they differ in length.",
                  .complexity = "O(points)",
                  .source = "haversine formula",
                  .example = "round(distance(point(180, 24.118418), point(180, 24.11931)), 3) -> 99.186"});
    registry.add(
        "geoWithin(X, polygonVertices, [containBoundary=true])", geoWithinKernel,
        {.summary = "Whether each point lies within a polygon, as BOOL.",
         .parameters = "X: a POINT, or a vector or tuple of them\npolygonVertices: a vector of three points or "
                       "more, in order around the polygon\ncontainBoundary: whether points on an edge do",
         .nulls = "NULL for a NULL point; polygonVertices must hold none.",
         .errors = "X or polygonVertices is no POINT; the polygon has fewer than three.",
         .complexity = "O(points · vertices)",
         .source = "ray casting (Shimrat 1962)",
         .example = "geoWithin(point(1 2, 1 3), point(0 0 2 2, 0 2 2 0)) -> [true,false]"});
    registry.add("rdp(pointList, epsilon)", rdpKernel,
                 {.summary = "Fewer points of a line, none of the others farther than epsilon from it.",
                  .parameters = "pointList: a vector of POINT\nepsilon: a number, 0 or more",
                  .nulls = "pointList must hold none.",
                  .errors = "pointList is no vector of POINT; epsilon is below 0.",
                  .complexity = "O(points · log points), O(points²) at worst",
                  .source = "Ramer 1972; Douglas, Peucker 1973",
                  .example = "rdp(point(1 2 3 4, 1 2 3 4), 0.1) -> [(1, 1),(4, 4)]"});
}

}  // namespace pelorus
