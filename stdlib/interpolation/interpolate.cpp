// interpolate: fills NULLs of a vector from the elements around them.
#include <algorithm>
#include <cmath>

#include "runtime/kernel/forms/elementwise.h"
#include "stdlib/arguments.h"
#include "stdlib/interpolation/newton_polynomial.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

enum class Method : uint8_t { Linear, Pad, Nearest, Krogh };

// The points of the elements that are not NULL, and the polynomial through them where the method takes it.
struct Known {
    std::vector<double> x, y;
    NewtonPolynomial polynomial;
};

// The value at x between known points `before` and `after`; either may be missing (-1).
double valueAt(Method method, const Known& known, int64_t before, int64_t after, double x, bool backward) {
    if (method == Method::Krogh) return known.polynomial.derivative(x, 0);
    const auto b = static_cast<size_t>(before), a = static_cast<size_t>(after);
    if (before < 0) return known.y[a];
    if (after < 0) return known.y[b];
    if (method == Method::Pad) return backward ? known.y[a] : known.y[b];
    if (method == Method::Nearest) return x - known.x[b] <= known.x[a] - x ? known.y[b] : known.y[a];
    return known.y[b] + (known.y[a] - known.y[b]) * (x - known.x[b]) / (known.x[a] - known.x[b]);
}

// interpolate(X, [method='linear'], [limit], [inplace=false], [limitDirection='forward'], [limitArea], [index])
Value interpolateKernel(Context&, Arguments a) {
    Ref<Vector> values = realsArgument(a, 0, "X");
    const std::string methodName = stringArgument(a, 1, "method", "linear");
    Method method = Method::Linear;
    if (methodName == "pad") {
        method = Method::Pad;
    } else if (methodName == "nearest") {
        method = Method::Nearest;
    } else if (methodName == "krogh") {
        method = Method::Krogh;
    } else if (methodName != "linear") {
        refuseArgument(1, "method", "linear, pad, nearest or krogh", a[1]);
    }
    const int64_t limit = integerArgument(a, 2, "limit", INT32_MAX);
    if (limit < 1) refuseArgument(2, "limit", "at least 1", a[2]);
    const bool inPlace = flagArgument(a, 3, "inplace", false);
    const std::string direction = stringArgument(a, 4, "limitDirection", "forward");
    const bool forward = direction != "backward", backward = direction != "forward";
    if (direction != "forward" && direction != "backward" && direction != "both") {
        refuseArgument(4, "limitDirection", "forward, backward or both", a[4]);
    }
    const std::string area = stringArgument(a, 5, "limitArea", "");
    if (area != "" && area != "inside" && area != "outside") refuseArgument(5, "limitArea", "inside or outside", a[5]);
    const int64_t n = values->size();
    Ref<Vector> index;
    if (isGiven(a, 6)) {
        index = vectorArgument(a, 6, "index");
        if (isTemporal(index->type())) index = cast(*index, Type::Long);
        index = cast(*index, Type::Double);
        if (index->size() != n || index->hasNull()) refuseArgument(6, "index", "as long as X and without NULL", a[6]);
    }
    auto place = [&](int64_t i) { return index ? index->data<double>()[i] : static_cast<double>(i); };
    const double* y = values->data<double>();
    Known known;
    // before[i] is the index of the last known point up to i; `position` holds the positions of the known points.
    std::vector<int64_t> before(static_cast<size_t>(n)), position;
    for (int64_t i = 0; i < n; ++i) {
        if (!isNull(y[i])) {
            known.x.push_back(place(i));
            known.y.push_back(y[i]);
            position.push_back(i);
        }
        before[static_cast<size_t>(i)] = static_cast<int64_t>(known.x.size()) - 1;
    }
    if (known.x.empty()) return a[0];
    if (method == Method::Krogh) known.polynomial = polynomialThrough(known.x, known.y);
    const auto last = static_cast<int64_t>(known.x.size()) - 1;
    Ref<Vector> out = values->copy();
    for (int64_t i = 0; i < n; ++i) {
        if (!isNull(y[i])) continue;
        const int64_t b = before[static_cast<size_t>(i)], f = b < last ? b + 1 : -1;
        const bool inside = b >= 0 && f >= 0;
        if ((area == "inside" && !inside) || (area == "outside" && inside)) continue;
        const bool fromBefore = forward && b >= 0 && i - position[static_cast<size_t>(b)] <= limit;
        const bool fromBehind = backward && f >= 0 && position[static_cast<size_t>(f)] - i <= limit;
        if (!fromBefore && !fromBehind) continue;
        out->mutableData<double>()[i] = valueAt(method, known, b, f, place(i), !fromBefore);
    }
    const bool stays = std::all_of(out->data<double>(), out->data<double>() + n,
                                   [](double v) { return isNull(v) || v == std::floor(v); });
    const Value result = isFloating(a[0].type()) || !stays ? Value::of(out) : cast(Value::of(out), a[0].type());
    if (inPlace) a[0] = result;
    return result;
}

}  // namespace

void registerInterpolation(FunctionRegistry& registry) {
    registry.add(
        "interpolate(X, [method='linear'], [limit], [inplace=false], [limitDirection='forward'], [limitArea], "
        "[index])",
        interpolateKernel,
        {.summary = "X with its NULLs filled from the elements around them.",
         .parameters = "method: linear, pad (the element before, or after), nearest or krogh (a polynomial)\n"
                       "limit: how many NULLs in a row are filled\nlimitDirection: forward, backward or "
                       "both\nlimitArea: inside or outside for NULLs between elements or beyond them only\n"
                       "index: the points of the elements; their positions when left out",
         .nulls = "NULLs before the first element stay, unless filled backward.",
         .errors = "X is not numeric; index is not as long as X.",
         .example = "interpolate(1 NULL 4 NULL) -> [1,2.5,4,4]"},
        {.orderSensitive = true, .mutatesFirst = true, .givesOther = true});
}

}  // namespace pelorus
