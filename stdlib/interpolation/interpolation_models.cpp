// Curves through points as models: dictionaries that predict values between the points.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "stdlib/interpolation/interpolation_arguments.h"
#include "stdlib/interpolation/newton_polynomial.h"
#include "stdlib/interpolation/piecewise_cubic.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxOrder = 1000;

SplineEnd endOf(const std::string& name, const Value& given) {
    if (name == "not-a-knot") return SplineEnd::NotAKnot;
    if (name == "clamped") return SplineEnd::Clamped;
    if (name == "natural") return SplineEnd::Natural;
    refuseArgument(2, "bc_type", "not-a-knot, clamped or natural, or one of them for each end", given);
}

// Returns the coefficients row by row, or as a matrix with a row for each piece.
std::vector<double> flattened(const PiecewiseCubic& curve) {
    std::vector<double> all;
    for (const auto& piece : curve.coefficients) all.insert(all.end(), piece.begin(), piece.end());
    return all;
}
Value asMatrix(const PiecewiseCubic& curve) {
    const size_t pieces = curve.coefficients.size();
    Ref<Vector> cells = Vector::make(Type::Double, static_cast<int64_t>(4 * pieces));
    double* out = cells->mutableData<double>();
    for (size_t power = 0; power < 4; ++power) {
        for (size_t i = 0; i < pieces; ++i) out[power * pieces + i] = curve.coefficients[i][power];
    }
    return Value::of(makeRef<Matrix>(std::move(cells), static_cast<int64_t>(pieces), 4));
}

// Reads the curve of a model, whose coefficients are stored one power after the other, or one piece after the other.
PiecewiseCubic curveOf(Arguments a, std::string_view x, std::string_view coefficients, bool arePiecesTogether) {
    PiecewiseCubic curve;
    curve.x = modelNumbers(a, x);
    requireAscending(curve.x, 0, fmt::format("The member {} of the model", x), 2, true);
    const std::vector<double> all = modelNumbers(a, coefficients);
    const size_t pieces = curve.x.size() - 1;
    if (all.size() != 4 * pieces)
        throw UserError(0, fmt::format("The member {} of the model has {} coefficients for {} pieces of four.",
                                       coefficients, all.size(), pieces));
    for (size_t i = 0; i < pieces; ++i) {
        auto& piece = curve.coefficients.emplace_back();
        for (size_t k = 0; k < 4; ++k) piece[k] = arePiecesTogether ? all[4 * i + k] : all[k * pieces + i];
    }
    return curve;
}

// cubicSpline(x, y, [bc_type='not-a-knot'])
Value cubicSplineKernel(Context&, Arguments a) {
    const std::vector<double> x = numbersArgument(a, 0, "x"), y = valuesArgument(a, 1, "y", x);
    requireAscending(x, 0, "x", 3, true);
    std::vector<std::string> ends{"not-a-knot"};
    if (isGiven(a, 2))
        ends = a[2].isPair()
                   ? std::vector<std::string>{std::string(a[2].at(0).string()), std::string(a[2].at(1).string())}
                   : namesArgument(a, 2, "bc_type");
    if (ends.empty() || ends.size() > 2) refuseArgument(2, "bc_type", "one name, or one for each end", a[2]);
    const PiecewiseCubic curve = cubicSpline(x, y, endOf(ends.front(), a[2]), endOf(ends.back(), a[2]));
    const Ref<Dictionary> model = makeModel("cubicSpline", "cubicSplinePredict");
    model->set(Value::ofString("x"), realsOf(x));
    model->set(Value::ofString("c"), realsOf(flattened(curve)));
    return Value::of(model);
}

// cubicSplinePredict(model, X)
Value cubicSplinePredictKernel(Context&, Arguments a) {
    const PiecewiseCubic curve = curveOf(a, "x", "c", true);
    return mapReals(a, 1, "X", [&](double point) { return curve.at(point); });
}

Value hermiteModel(std::string_view name, const PiecewiseCubic& curve, bool extrapolate) {
    const Ref<Dictionary> model = makeModel(name, "cubicHermiteSplinePredict");
    model->set(Value::ofString("X"), realsOf(curve.x));
    model->set(Value::ofString("extrapolate"), Value::ofBool(extrapolate));
    model->set(Value::ofString("coeffs"), asMatrix(curve));
    return Value::of(model);
}

// pchipInterpolateFit(X, Y, [extrapolate=true])
Value pchipKernel(Context&, Arguments a) {
    const std::vector<double> x = numbersArgument(a, 0, "X"), y = valuesArgument(a, 1, "Y", x);
    requireAscending(x, 0, "X", 2, true);
    return hermiteModel("PchipInterpolate", monotoneSpline(x, y), flagArgument(a, 2, "extrapolate", true));
}

// cubicHermiteSplineFit(X, Y, derivative, [extrapolate=true])
Value hermiteKernel(Context&, Arguments a) {
    const std::vector<double> x = numbersArgument(a, 0, "X"), y = valuesArgument(a, 1, "Y", x),
                              slopes = valuesArgument(a, 2, "derivative", x);
    requireAscending(x, 0, "X", 2, true);
    return hermiteModel("CubicHermiteSpline", hermiteSpline(x, y, slopes), flagArgument(a, 3, "extrapolate", true));
}

// cubicHermiteSplinePredict(model, X)
Value hermitePredictKernel(Context&, Arguments a) {
    const PiecewiseCubic curve = curveOf(a, "X", "coeffs", false);
    std::vector<Value> flag{modelMember(a, "extrapolate")};
    const bool extrapolates = flagArgument(flag, 0, "extrapolate", true);
    return mapReals(a, 1, "X", [&](double point) {
        const bool isInside = point >= curve.x.front() && point <= curve.x.back();
        return isInside || extrapolates ? curve.at(point) : null<double>;
    });
}

// linearInterpolateFit(X, Y, [fillValue='extrapolate'], [sorted=false])
Value linearKernel(Context&, Arguments a) {
    std::vector<double> x = numbersArgument(a, 0, "X"), y = valuesArgument(a, 1, "Y", x);
    if (!flagArgument(a, 3, "sorted", false)) {
        std::vector<size_t> order(x.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, [&](size_t i, size_t k) { return x[i] < x[k]; });
        std::vector<double> sortedX, sortedY;
        for (const size_t i : order) {
            sortedX.push_back(x[i]);
            sortedY.push_back(y[i]);
        }
        x = std::move(sortedX);
        y = std::move(sortedY);
    }
    requireAscending(x, 0, "X", 2, true);
    Value fill = Value::ofString("extrapolate");
    if (isGiven(a, 2)) {
        fill = a[2];
        const bool isPair =
            (fill.isPair() || fill.isVector()) && !fill.isTuple() && isNumeric(fill.type()) && fill.size() == 2;
        const bool isName = fill.isString() && fill.isScalar() && fill.string() == "extrapolate";
        if (!isPair && !isName)
            refuseArgument(2, "fillValue", "a pair of numbers, for below and above, or 'extrapolate'", fill);
    }
    const Ref<Dictionary> model = makeModel("linearInterpolate", "linearInterpolatePredict");
    model->set(Value::ofString("sortedX"), realsOf(x));
    model->set(Value::ofString("sortedY"), realsOf(y));
    model->set(Value::ofString("fillValue"), fill);
    return Value::of(model);
}

// linearInterpolatePredict(model, X)
Value linearPredictKernel(Context&, Arguments a) {
    const std::vector<double> x = modelNumbers(a, "sortedX"), y = modelNumbers(a, "sortedY");
    requireAscending(x, 0, "The member sortedX of the model", 2, true);
    if (x.size() != y.size()) throw UserError(0, "The members sortedX and sortedY of the model differ in length.");
    const Value fill = modelMember(a, "fillValue");
    const bool extrapolates = fill.isScalar() || fill.size() != 2;
    const double below = extrapolates ? 0 : fill.at(0).asDouble(), above = extrapolates ? 0 : fill.at(1).asDouble();
    return mapReals(a, 1, "X", [&](double point) {
        if (!extrapolates && point < x.front()) return below;
        if (!extrapolates && point > x.back()) return above;
        const auto behind = std::upper_bound(x.begin() + 1, x.end() - 1, point);
        const auto i = static_cast<size_t>(behind - x.begin());
        return y[i - 1] + (y[i] - y[i - 1]) / (x[i] - x[i - 1]) * (point - x[i - 1]);
    });
}

int orderArgument(Arguments a, size_t i) {
    const int64_t order = integerArgument(a, i, "der", 0);
    if (order < 0 || order > kMaxOrder) refuseArgument(i, "der", fmt::format("from 0 to {}", kMaxOrder), a[i]);
    return static_cast<int>(order);
}

NewtonPolynomial kroghArgument(Arguments a) {
    const std::vector<double> x = numbersArgument(a, 0, "X"), y = valuesArgument(a, 1, "Y", x);
    requireAscending(x, 0, "X", 1, false);
    return polynomialThrough(x, y);
}

// kroghInterpolateFit(X, Y, [der=0])
Value kroghFitKernel(Context&, Arguments a) {
    NewtonPolynomial polynomial = kroghArgument(a);
    const int order = orderArgument(a, 2);
    const Ref<Dictionary> model = makeModel("kroghInterpolate", "kroghInterpolateFitPredict");
    model->set(Value::ofString("X"), realsOf(polynomial.x));
    model->set(Value::ofString("der"), Value::ofInt(order));
    polynomial.coefficients.push_back(0);  // of the next power, which the points do not need
    model->set(Value::ofString("coeffs"), realsOf(polynomial.coefficients));
    return Value::of(model);
}

// kroghInterpolateFitPredict(model, X)
Value kroghPredictKernel(Context&, Arguments a) {
    NewtonPolynomial polynomial{modelNumbers(a, "X"), modelNumbers(a, "coeffs")};
    const size_t points = polynomial.x.size(), coefficients = polynomial.coefficients.size();
    if (points == 0 || (coefficients != points && coefficients != points + 1))
        throw UserError(0, fmt::format("The model has {} coefficients for {} points.", coefficients, points));
    polynomial.coefficients.resize(polynomial.x.size());
    std::vector<Value> held{modelMember(a, "der")};
    const int order = orderArgument(held, 0);
    return mapReals(a, 1, "X", [&](double point) { return polynomial.derivative(point, order); });
}

// kroghInterpolate(X, Y, newX, [der=0])
Value kroghKernel(Context&, Arguments a) {
    const NewtonPolynomial polynomial = kroghArgument(a);
    const int order = orderArgument(a, 3);
    return mapReals(a, 2, "newX", [&](double point) { return polynomial.derivative(point, order); });
}

// predict(model, X)
Value predictKernel(Context& context, Arguments a) {
    const Value predict = modelMember(a, "predict");
    if (!predict.isFunction()) throw UserError(0, "The member predict of the model is no function.");
    return callWith(predict.function(), context, {a[0], a[1]});
}

constexpr std::string_view kNoNulls = "The points must hold none; NULL for NULL in X of a prediction.";

void registerSplines(FunctionRegistry& registry) {
    registry.add(
        "cubicSpline(x, y, [bc_type='not-a-knot'])", cubicSplineKernel,
        {.summary =
             "The curve of cubic pieces through points, with continuous first and second derivatives, as a model.",
         .parameters = "x: a vector of three numbers or more, which ascend\ny: a number for each\n"
                       "bc_type: what holds at both ends, or a vector or pair for the left and the right one: "
                       "not-a-knot (the outer two "
                       "pieces are one), clamped (the slope is 0) or natural (the curvature is 0)",
         .nulls = kNoNulls,
         .errors = "x does not ascend or is too short; y has another length; there is no such bc_type.",
         .complexity = "O(points)",
         .source = "de Boor, A Practical Guide to Splines, chapter IV",
         .example = "predict(cubicSpline(0..4, pow(0..4, 3)), [0.5, 2.5]) -> [0.125,15.625]"});
    registry.add("cubicSplinePredict(model, X)", cubicSplinePredictKernel,
                 {.summary = "The values of a curve that cubicSpline gave; beyond its ends the outer pieces go on.",
                  .parameters = "model: the dictionary\nX: a number or a vector of numbers",
                  .nulls = kNoNulls,
                  .errors = "The model lacks a member.",
                  .complexity = "O(elements · log points)",
                  .example = "cubicSplinePredict(cubicSpline(0..3, 0 1 4 9), 1.5) -> 2.25"});
    registry.add(
        "pchipInterpolateFit(X, Y, [extrapolate=true])", pchipKernel,
        {.summary = "The curve of cubic pieces through points that rises and falls only where they do, as a model.",
         .parameters = "X: a vector of two numbers or more, which ascend\nY: a number for each\nextrapolate: false "
                       "predicts NULL beyond the points",
         .nulls = kNoNulls,
         .errors = "X does not ascend or is too short; Y has another length.",
         .complexity = "O(points)",
         .source = "Fritsch, Butland 1984",
         .example = "predict(pchipInterpolateFit(0 1 2, 0 1 1), [1.5]) -> [1]"});
    registry.add(
        "cubicHermiteSplineFit(X, Y, derivative, [extrapolate=true])", hermiteKernel,
        {.summary = "The curve of cubic pieces through points with given slopes, as a model.",
         .parameters =
             "X: a vector of two numbers or more, which ascend\nY: a number for each\nderivative: the slope at each\n"
             "extrapolate: false predicts NULL beyond the points",
         .nulls = kNoNulls,
         .errors = "X does not ascend or is too short; Y or derivative has another length.",
         .complexity = "O(points)",
         .example = "predict(cubicHermiteSplineFit(0 1, 0 1, 0 0), 0.5) -> 0.5"});
    registry.add("cubicHermiteSplinePredict(model, X)", hermitePredictKernel,
                 {.summary = "The values of a curve that pchipInterpolateFit or cubicHermiteSplineFit gave.",
                  .parameters = "model: the dictionary\nX: a number or a vector of numbers",
                  .nulls = kNoNulls,
                  .errors = "The model lacks a member.",
                  .complexity = "O(elements · log points)",
                  .example = "cubicHermiteSplinePredict(pchipInterpolateFit(0 1 2, 0 1 1), 1.5) -> 1"});
}

}  // namespace

void registerInterpolationModels(FunctionRegistry& registry) {
    registerSplines(registry);
    registry.add(
        "linearInterpolateFit(X, Y, [fillValue='extrapolate'], [sorted=false])", linearKernel,
        {.summary = "The straight lines between neighbouring points, as a model.",
         .parameters =
             "X: a vector of two numbers or more, no two of them equal\nY: a number for each\n"
             "fillValue: a pair of the values below and above the points; 'extrapolate' goes on with the outer lines\n"
             "sorted: X ascends already",
         .nulls = kNoNulls,
         .errors = "X has equal points, or does not ascend though it is said to; Y has another length.",
         .complexity = "O(points · log points)",
         .example = "predict(linearInterpolateFit(2 0 1, 20 0 10), 0.5 3) -> [5,30]"});
    registry.add(
        "linearInterpolatePredict(model, X)", linearPredictKernel,
        {.summary = "The values of lines that linearInterpolateFit gave.",
         .parameters = "model: the dictionary\nX: a number or a vector of numbers",
         .nulls = kNoNulls,
         .errors = "The model lacks a member.",
         .complexity = "O(elements · log points)",
         .example = "linearInterpolatePredict(linearInterpolateFit(0 1, 0 10, -1:11), -5 0.5 7) -> [-1,5,11]"});
    registry.add(
        "kroghInterpolateFit(X, Y, [der=0])", kroghFitKernel,
        {.summary = "The polynomial through points, some of them with derivatives, as a model.",
         .parameters =
             "X: a vector of numbers, which ascend; where one occurs several times, the values after the first are "
             "derivatives of "
             "rising order\nY: a number for each\nder: the order of the derivative that is predicted, from 0 to 1000",
         .nulls = kNoNulls,
         .errors = "X does not ascend; Y has another length; der is below 0.",
         .complexity = "O(points²)",
         .source = "Krogh 1970; divided differences",
         .example = "predict(kroghInterpolateFit(0 0 1, 1 0 2), 2) -> 5"});
    registry.add("kroghInterpolateFitPredict(model, X)", kroghPredictKernel,
                 {.summary = "The values of a polynomial that kroghInterpolateFit gave, or of its derivative.",
                  .parameters = "model: the dictionary\nX: a number or a vector of numbers",
                  .nulls = kNoNulls,
                  .errors = "The model lacks a member.",
                  .complexity = "O(elements · points)",
                  .example = "kroghInterpolateFitPredict(kroghInterpolateFit(0 1 2, 0 1 4, 1), 3) -> 6"});
    registry.add("kroghInterpolate(X, Y, newX, [der=0])", kroghKernel,
                 {.summary = "The polynomial through points, or its derivative, at other points.",
                  .parameters = "X, Y, der: as of kroghInterpolateFit\nnewX: a number or a vector of numbers",
                  .nulls = kNoNulls,
                  .errors = "X does not ascend; Y has another length; der is below 0.",
                  .complexity = "O(points² + elements · points)",
                  .source = "Krogh 1970; divided differences",
                  .example = "kroghInterpolate(0 1 2, 0 1 4, 3 4) -> [9,16]"});
    registry.add("predict(model, X)", predictKernel,
                 {.summary = "What a model predicts for X, by the function that is its member predict.",
                  .parameters = "model: the dictionary that a function which fits gave\nX: what that function takes",
                  .nulls = "As of that function.",
                  .errors = "The model lacks the member predict; errors of that function.",
                  .example = "predict(polyFit(0 1 2, 1 2 5, 2, true), 3.0).round(6) -> 10"},
                 // The model's function may be anybody's.
                 {.effect = Effect::Writes});
}

}  // namespace pelorus
