// neville, dividedDifference, spline: values between times, at the labels of a frequency.
#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"
#include "stdlib/interpolation/interpolation_arguments.h"
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

Value splineKernel(Context& context, Arguments a) {
    const Resampled r = resampledArguments(context, a);
    const std::vector<double> slope(2, r.x.size() == 2 ? (r.y[1] - r.y[0]) / (r.x[1] - r.x[0]) : 0);
    const PiecewiseCubic curve = r.x.size() == 2 ? hermiteSpline(r.x, r.y, slope)
                                                 : cubicSpline(r.x, r.y, SplineEnd::Natural, SplineEnd::Natural);
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
}

}  // namespace pelorus
