// splrep, splev: curves of B-splines, as tuples of knots, coefficients and degree.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "stdlib/interpolation/b_spline.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxDegree = 5;
constexpr size_t kMaxMatrixCells = size_t{1} << 26;

// Reads numbers or times; NULL counts as 0.
std::vector<double> filledArgument(Arguments a, size_t i, std::string_view name) {
    if (!a[i].isVector() || a[i].isTuple() || (!isNumeric(a[i].type()) && !isTemporal(a[i].type())))
        refuseArgument(i, name, "a vector of numbers or times", a[i]);
    const Ref<Vector> given = isTemporal(a[i].type()) ? cast(a[i].vector(), Type::Long) : Ref<Vector>(&a[i].vector());
    const Ref<Vector> numbers = cast(*given, Type::Double);
    std::vector<double> filled(numbers->data<double>(), numbers->data<double>() + numbers->size());
    for (double& number : filled) number = isNull(number) ? 0 : number;
    return filled;
}

// splrep(x, y, [t])
Value splrepKernel(Context&, Arguments a) {
    const std::vector<double> x = filledArgument(a, 0, "x"), y = filledArgument(a, 1, "y");
    if (x.size() != y.size()) throw UserError(1, fmt::format("y has {} elements for {} points.", y.size(), x.size()));
    requireAscending(x, 0, "x", 4, true);
    // Without knots the curve goes through all points.
    std::vector<double> inner(x.begin() + 2, x.end() - 2);
    if (isGiven(a, 2)) inner = filledArgument(a, 2, "t");
    requireAscending(inner, 2, "t", 0, false);
    if (!inner.empty() && (inner.front() <= x.front() || inner.back() >= x.back()))
        refuseArgument(2, "t", "between the first and the last x", a[2]);
    if ((inner.size() + 4) * x.size() > kMaxMatrixCells)
        throw UserError(2, fmt::format("{} knots for {} points are too many.", inner.size(), x.size()),
                        "Give fewer knots t.");
    BSpline curve = cubicThrough(x, y, inner);
    if (curve.coefficients.empty())
        throw UserError(2, "The points do not determine a curve with these knots.",
                        "Between each two knots with two others between them must lie a point.");
    curve.coefficients.resize(curve.knots.size());  // zeros, as many as there are knots
    return Value::of(makeRef<Tuple>(
        std::vector<Value>{realsOf(curve.knots), realsOf(curve.coefficients), Value::ofInt(curve.degree)}));
}

// splev(x, tck)
Value splevKernel(Context&, Arguments a) {
    if (!a[1].isTuple() || a[1].size() != 3)
        refuseArgument(1, "tck", "a tuple of knots, coefficients and degree, as splrep gives it", a[1]);
    std::vector<Value> parts = a[1].tuple().elements;
    BSpline curve{filledArgument(parts, 0, "knots of tck"), filledArgument(parts, 1, "coefficients of tck"), 0};
    const int64_t degree = integerArgument(parts, 2, "degree of tck");
    if (degree < 1 || degree > kMaxDegree)
        throw UserError(1, fmt::format("The degree of tck is from 1 to {}, but it is {}.", kMaxDegree, degree));
    curve.degree = static_cast<int>(degree);
    requireAscending(curve.knots, 1, "The knots of tck", 2 * static_cast<size_t>(degree) + 2, false);
    if (curve.coefficients.size() + static_cast<size_t>(degree) + 1 < curve.knots.size())
        throw UserError(1, "tck has fewer coefficients than its knots need.");
    const std::vector<double> points = filledArgument(a, 0, "x");
    std::vector<double> values;
    for (const double point : points) values.push_back(curve.at(point));
    return realsOf(values);
}

}  // namespace

void registerBSplines(FunctionRegistry& registry) {
    registry.add(
        "splrep(x, y, [t])", splrepKernel,
        {.summary = "The cubic curve of B-splines that comes nearest to points, as a tuple of knots, coefficients and "
                    "degree 3.",
         .parameters = "x: a vector of four numbers or times or more, which ascend\ny: a number for each\n"
                       "t: knots between the first and the last x, where one piece of the curve ends; left out, the "
                       "curve goes through all points",
         .nulls = "NULL counts as 0.",
         .errors = "x does not ascend; y has another length; the points do not determine a curve with these knots.",
         .complexity = "O(points · knots²)",
         .source = "de Boor, A Practical Guide to Splines; LAPACK's dgelsd",
         .example = "splev([0.5, 1.5], splrep(0..4, 0 1 4 9 16)).round(6) -> [0.25,2.25]"});
    registry.add("splev(x, tck)", splevKernel,
                 {.summary = "The values of a curve of B-splines; beyond its ends the outer pieces go on.",
                  .parameters = "x: a vector of numbers or times\ntck: a tuple of knots, coefficients and a degree "
                                "from 1 to 5, as splrep gives it",
                  .nulls = "NULL counts as 0.",
                  .errors = "tck is no such tuple.",
                  .complexity = "O(elements · (degree² + log knots))",
                  .source = "de Boor's scheme",
                  .example = "splev([2.5], splrep(0..4, 0 1 8 27 64)).round(6) -> [15.625]"});
}

}  // namespace pelorus
