// neville, dividedDifference, spline, loess: values between times, at the labels of a frequency.
#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/interpolation/local_regression.h"
#include "stdlib/interpolation/newton_polynomial.h"
#include "stdlib/interpolation/piecewise_cubic.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// The times of the points, and the labels of the bins of the frequency that hold them, both as numbers from the first
// time on.
struct Resampled {
    Ref<Vector> labels;
    std::vector<double> x, y, at;
};

Resampled resampledArguments(Context& context, Arguments a) {
    Resampled r;
    if (!a[0].isVector() || a[0].isTuple() || !isTemporal(a[0].type()))
        refuseArgument(0, "X", "a vector of times", a[0]);
    const Vector& times = a[0].vector();
    if (times.size() < 2) throw UserError(0, "X needs two times or more.");
    const int64_t first = times.asLong(0);
    const auto fromFirst = [first](int64_t time) { return static_cast<double>(time - first); };
    for (int64_t i = 0; i < times.size(); ++i) {
        if (times.isNullAt(i) || (i > 0 && times.asLong(i) <= times.asLong(i - 1)))
            throw UserError(0, "X must ascend, without equal times and NULL.", "Sort the points by it first.");
        r.x.push_back(fromFirst(times.asLong(i)));
    }
    r.y = valuesArgument(a, 1, "Y", r.x);
    const BuiltinFunction* labelsOf = FunctionRegistry::instance().find("temporalSeq");
    CHECK(labelsOf) << "labels of frequencies are made by temporalSeq";
    const auto orOmitted = [&](size_t i) { return isGiven(a, i) ? a[i] : Value(); };
    const Value labels = callWith(*labelsOf, context,
                                  {times.at(0), times.at(times.size() - 1), a[2], orOmitted(3), Value(), orOmitted(4)});
    r.labels = cast(labels.vector(), times.type());
    for (int64_t i = 0; i < r.labels->size(); ++i) r.at.push_back(fromFirst(r.labels->asLong(i)));
    return r;
}

// Returns f at the labels, NULL where they are beyond the points; with outputX also the labels.
template <class F>
Value atLabels(const Resampled& r, Arguments a, F f) {
    std::vector<double> values;
    for (const double at : r.at) values.push_back(at < r.x.front() || at > r.x.back() ? null<double> : f(at));
    Value result = realsOf(values);
    if (!flagArgument(a, 5, "outputX", false)) return result;
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(r.labels), std::move(result)}));
}

// Each value by Neville's scheme: polynomials through neighbours, of rising degree.
double nevilleAt(const Resampled& r, double at) {
    std::vector<double> values = r.y;
    const size_t n = values.size();
    for (size_t k = 1; k < n; ++k) {
        for (size_t i = 0; i + k < n; ++i)
            values[i] = ((at - r.x[i + k]) * values[i] + (r.x[i] - at) * values[i + 1]) / (r.x[i] - r.x[i + k]);
    }
    return values[0];
}

Value nevilleKernel(Context& context, Arguments a) {
    const Resampled r = resampledArguments(context, a);
    return atLabels(r, a, [&](double at) {
        checkCancelled();
        return nevilleAt(r, at);
    });
}

Value dividedDifferenceKernel(Context& context, Arguments a) {
    const Resampled r = resampledArguments(context, a);
    const NewtonPolynomial polynomial = polynomialThrough(r.x, r.y);
    return atLabels(r, a, [&](double at) { return polynomial.derivative(at, 0); });
}

// Returns the natural cubic spline, the line through two points.
PiecewiseCubic naturalSpline(const std::vector<double>& x, const std::vector<double>& y) {
    if (x.size() > 2) return cubicSpline(x, y, SplineEnd::Natural, SplineEnd::Natural);
    return hermiteSpline(x, y, std::vector<double>(2, (y[1] - y[0]) / (x[1] - x[0])));
}

Value splineKernel(Context& context, Arguments a) {
    const Resampled r = resampledArguments(context, a);
    const PiecewiseCubic curve = naturalSpline(r.x, r.y);
    return atLabels(r, a, [&](double at) { return curve.at(at); });
}

Value loessKernel(Context& context, Arguments a) {
    const Resampled r = resampledArguments(context, a);
    LocalRegressionOptions o;
    if (isGiven(a, 6)) o.bandwidth = realArgument(a, 6, "bandwidth");
    if (!(o.bandwidth > 0 && o.bandwidth <= 1)) refuseArgument(6, "bandwidth", "above 0, up to 1", a[6]);
    if (o.bandwidth * static_cast<double>(r.x.size()) < 2)
        throw UserError(6, "bandwidth leaves fewer than two points to a regression.", "Give a larger one.");
    o.iterations = integerArgument(a, 7, "robustnessIter", o.iterations);
    if (o.iterations < 1) refuseArgument(7, "robustnessIter", "1 or more", a[7]);
    if (isGiven(a, 8)) o.accuracy = realArgument(a, 8, "accuracy");
    if (!(o.accuracy > 0)) refuseArgument(8, "accuracy", "above 0", a[8]);
    const PiecewiseCubic curve = naturalSpline(r.x, smoothedLocally(r.x, r.y, o));
    return atLabels(r, a, [&](double at) { return curve.at(at); });
}

}  // namespace

void registerResampledInterpolation(FunctionRegistry& registry) {
    constexpr std::string_view kParameters =
        "X: a vector of two times or more, which ascend\nY: a number for each\nresampleRule: a frequency, as rule of "
        "resample\n"
        "closed, origin: as of resample\noutputX: true gives a tuple of the labels and the values";
    constexpr std::string_view kNulls =
        "X and Y must hold none; NULL for labels before the first or after the last time.";
    constexpr std::string_view kErrors = "X does not ascend; Y has another length; there is no such frequency.";
    registry.add(
        "neville(X, Y, resampleRule, [closed], [origin='start_day'], [outputX=false])", nevilleKernel,
        {.summary = "The polynomial through points in time, at the labels of a frequency, by Neville's scheme.",
         .parameters = kParameters,
         .nulls = kNulls,
         .errors = kErrors,
         .complexity = "O(labels · points²)",
         .source = "Neville 1934",
         .example = "neville(2024.01.01 2024.01.03 2024.01.05, 1 5 17.0, `D) -> [1,2,5,10,17]"});
    registry.add(
        "dividedDifference(X, Y, resampleRule, [closed], [origin='start_day'], [outputX=false])",
        dividedDifferenceKernel,
        {.summary =
             "The polynomial through points in time, at the labels of a frequency, by Newton's divided differences.",
         .parameters = kParameters,
         .nulls = kNulls,
         .errors = kErrors,
         .complexity = "O(points² + labels · points)",
         .example = "dividedDifference(2024.01.01 2024.01.03 2024.01.05, 1 5 17.0, `D) -> [1,2,5,10,17]"});
    registry.add("spline(X, Y, resampleRule, [closed], [origin='start_day'], [outputX=false])", splineKernel,
                 {.summary = "The natural cubic spline through points in time, at the labels of a frequency.",
                  .parameters = kParameters,
                  .nulls = kNulls,
                  .errors = kErrors,
                  .complexity = "O(points + labels · log points)",
                  .source = "de Boor, A Practical Guide to Splines, chapter IV",
                  .example = "spline(2024.01.01 2024.01.03 2024.01.05, 1 2 4.0, `D) -> [1,1.40625,2,2.90625,4]"});
    registry.add(
        "loess(X, Y, resampleRule, [closed], [origin='start_day'], [outputX=false], [bandwidth=0.3], "
        "[robustnessIter=4], [accuracy=1e-12])",
        loessKernel,
        {.summary = "Points in time, smoothed by robust local lines, and the natural cubic spline through these at the "
                    "labels of a frequency.",
         .parameters = std::string(kParameters) +
                       "\nbandwidth: the share of the points that each line takes, above 0, up to 1\n"
                       "robustnessIter: iterations that give less weight to points far from their line, from 1\n"
                       "accuracy: a median distance from the lines below it ends the iterations",
         .nulls = kNulls,
         .errors = "X does not ascend; Y has another length; there is no such frequency; bandwidth leaves a line fewer "
                   "than two points.",
         .complexity = "O(points² · bandwidth) for each iteration, and O(labels · log points)",
         .source = "Cleveland 1979",
         .example = "loess(2024.01.01 2024.01.03 2024.01.05, 1 3 5.0, `D, bandwidth=1) -> [1,2,3,4,5]"});
}

}  // namespace pelorus
