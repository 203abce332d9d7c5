// Roots, derivatives and integrals of functions of the script: brentq, derivative, integral.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/optimisation/minimizer_arguments.h"
#include "stdlib/optimisation/quadrature.h"
#include "stdlib/register_builtins.h"
#include "stdlib/value_parts.h"

namespace pelorus {

namespace {

// Returns the one number that a function gives for scalars; NULL as NaN.
double numberOf(Context& context, const Function& f, std::vector<Value> scalars) {
    context.checkCancelled();
    const Value result = callWith(f, context, std::move(scalars));
    const bool isNumber = result.isVoid() || isNumeric(result.type()) || isDecimal(result.type());
    if (!isNumber || result.size() != 1 || result.isTable() || result.isDictionary() || result.isTuple())
        throw UserError(0, fmt::format("The function must give one number, but it gave {}.", typeString(result)));
    const double x = result.isVoid() ? null<double> : (result.isScalar() ? result : result.at(0)).asDouble();
    return isNull(x) ? std::numeric_limits<double>::quiet_NaN() : x;
}

struct Root {
    std::string_view status;
    double x;
};

// Brent 1973, chapter 4.
Root findRoot(const std::function<double(double)>& f, double a, double b, double xtol, double rtol, int64_t most) {
    double before = a, x = b, other = 0, fBefore = f(a), fx = f(b), fOther = 0, last = 0, current = 0;
    if (fBefore == 0) return {"CONVERGED", a};
    if (fx == 0) return {"CONVERGED", b};
    if (!(fBefore * fx < 0)) return {"SIGNERR", 0};
    for (int64_t i = 0; i < most; ++i) {
        if (fBefore != 0 && fx != 0 && std::signbit(fBefore) != std::signbit(fx)) {
            other = before;
            fOther = fBefore;
            last = current = x - before;
        }
        if (std::abs(fOther) < std::abs(fx)) {
            before = x;
            x = other;
            other = before;
            fBefore = fx;
            fx = fOther;
            fOther = fBefore;
        }
        const double delta = (xtol + rtol * std::abs(x)) / 2, half = (other - x) / 2;
        if (fx == 0 || std::abs(half) < delta) return {"CONVERGED", x};
        if (std::abs(last) > delta && std::abs(fx) < std::abs(fBefore)) {
            double step;
            if (before == other) {
                step = -fx * (x - before) / (fx - fBefore);
            } else {
                const double toBefore = (fBefore - fx) / (before - x), toOther = (fOther - fx) / (other - x);
                step = -fx * (fOther * toOther - fBefore * toBefore) / (toOther * toBefore * (fOther - fBefore));
            }
            if (2 * std::abs(step) < std::min(std::abs(last), 3 * std::abs(half) - delta)) {
                last = current;
                current = step;
            } else {
                last = current = half;
            }
        } else {
            last = current = half;
        }
        before = x;
        fBefore = fx;
        x += std::abs(current) > delta ? current : half > 0 ? delta : -delta;
        fx = f(x);
    }
    return {"CONVERR", x};
}

// brentq(f, a, b, [xtol], [rtol], [maxIter], [funcDataParam])
Value brentqKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a, 0);
    const double from = realArgument(a, 1, "a"), to = realArgument(a, 2, "b");
    const double xtol = positiveArgument(a, 3, "xtol", 2e-12, true);
    const double rtol = positiveArgument(a, 4, "rtol", 4 * std::numeric_limits<double>::epsilon(), true);
    const int64_t most = countArgument(a, 5, "maxIter", 100);
    std::vector<Value> further;
    if (isGiven(a, 6)) {
        if (!a[6].isVector()) refuseArgument(6, "funcDataParam", "a vector of the further arguments", a[6]);
        for (int64_t i = 0; i < a[6].size(); ++i) further.push_back(a[6].at(i));
    }
    const Root root = findRoot(
        [&](double x) {
            std::vector<Value> call = {Value::ofDouble(x)};
            call.insert(call.end(), further.begin(), further.end());
            return numberOf(context, f, std::move(call));
        },
        from, to, xtol, rtol, most);
    auto result = makeRef<Tuple>();
    result->elements = {Value::ofString(root.status), Value::ofDouble(root.x)};
    return Value::of(std::move(result));
}

// derivative(func, X, [dx], [n], [order])
Value derivativeKernel(Context& context, Arguments a) {
    const Function& f = functionArgument(a, 0);
    const double step = positiveArgument(a, 2, "dx", 1);
    if (integerArgument(a, 3, "n", 1) != 1) refuseArgument(3, "n", "1: only first derivatives are computed", a[3]);
    const int64_t order = integerArgument(a, 4, "order", 3);
    if (order < 3 || order > 1023 || order % 2 == 0) refuseArgument(4, "order", "odd, from 3 to 1023", a[4]);
    // Weights of central differences: (-1)^(k+1) m!² / (k (m - k)! (m + k)!) for m points on each side.
    const int64_t m = order / 2;
    std::vector<double> weights;
    double ratio = 1;
    for (int64_t k = 1; k <= m; ++k) {
        ratio *= static_cast<double>(m - k + 1) / static_cast<double>(m + k);
        weights.push_back((k % 2 == 1 ? 1 : -1) * ratio / static_cast<double>(k));
    }
    const Ref<Vector> points = realsArgument(a, 1, "X");
    Ref<Vector> results = Vector::make(Type::Double, points->size());
    for (int64_t i = 0; i < points->size(); ++i) {
        const double x = points->data<double>()[i];
        double sum = 0;
        for (int64_t k = 1; k <= m && !isNull(x); ++k) {
            const double away = static_cast<double>(k) * step;
            sum += weights[static_cast<size_t>(k - 1)] * (numberOf(context, f, {Value::ofDouble(x + away)}) -
                                                          numberOf(context, f, {Value::ofDouble(x - away)}));
        }
        results->mutableData<double>()[i] = isNull(x) || !std::isfinite(sum) ? null<double> : sum / step;
    }
    return a[1].isScalar() ? results->at(0) : Value::of(std::move(results));
}

// The ends of an integral: numbers, which are repeated, or a function of the outer variable. NULL is infinite.
struct Ends {
    std::vector<double> numbers;
    const Function* function = nullptr;

    double at(Context& context, size_t i, double outer) const {
        return function == nullptr ? numbers[numbers.size() == 1 ? 0 : i]
                                   : numberOf(context, *function, {Value::ofDouble(outer)});
    }
};
Ends endsArgument(Arguments a, size_t i, std::string_view name, double infinite, bool mayCall) {
    Ends ends;
    if (mayCall && a[i].isFunction()) {
        ends.function = &a[i].function();
        ends.numbers = {0};
        return ends;
    }
    if (a[i].isVoid()) return {{infinite}, nullptr};
    const Ref<Vector> numbers = realsArgument(a, i, name);
    ends.numbers.assign(numbers->data<double>(), numbers->data<double>() + numbers->size());
    for (double& end : ends.numbers) end = isNull(end) ? infinite : end;
    return ends;
}

// integral(func, start, end, [start2], [end2])
Value integralKernel(Context& context, Arguments a) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Function& f = functionArgument(a, 0);
    const bool isDouble = a.size() > 4 && (!isOmitted(a[3]) || !isOmitted(a[4]));
    if (isDouble && (isOmitted(a[3]) || isOmitted(a[4]))) throw UserError(3, "Give start2 and end2 together.");
    std::vector<Ends> ends = {endsArgument(a, 1, "start", -kInfinity, false),
                              endsArgument(a, 2, "end", kInfinity, false)};
    if (isDouble) {
        ends.push_back(endsArgument(a, 3, "start2", -kInfinity, true));
        ends.push_back(endsArgument(a, 4, "end2", kInfinity, true));
    }
    size_t count = 1;
    bool isScalar = true;
    for (size_t i = 0; i < ends.size(); ++i) {
        if (a[i + 1].isScalar()) continue;
        const size_t own = ends[i].numbers.size();
        if (!isScalar && own != count)
            throw UserError(static_cast<int>(i + 1), fmt::format("The ends differ in length: {} and {}.", count, own));
        isScalar = false;
        count = own;
    }
    std::vector<double> results;
    for (size_t i = 0; i < count; ++i) {
        const double from = ends[0].at(context, i, 0), to = ends[1].at(context, i, 0);
        const auto inner = [&](double x) {
            if (!isDouble) return numberOf(context, f, {Value::ofDouble(x)});
            return integrate(
                [&](double y) {
                    return numberOf(context, f, {Value::ofDouble(x), Value::ofDouble(y)});
                },
                ends[2].at(context, i, x), ends[3].at(context, i, x));
        };
        const double value = integrate(inner, from, to);
        results.push_back(std::isfinite(value) ? value : null<double>);
    }
    return isScalar ? Value::ofDouble(results[0]) : Value::of(Vector::of(Type::Double, results));
}

}  // namespace

void registerCalculus(FunctionRegistry& registry) {
    const Declaration calls{.kind = FunctionKind::HigherOrder};
    registry.add("brentq(f, a, b, [xtol], [rtol], [maxIter], [funcDataParam])", brentqKernel,
                 {.summary = "A root of a function between two points: a tuple of how it ended (CONVERGED; SIGNERR, f "
                             "has one sign at both; CONVERR, maxIter reached) and the root.",
                  .parameters = "f: a function of a number, and of what funcDataParam holds, that gives a number\n"
                                "a, b: numbers between which f changes its sign\n"
                                "xtol, rtol: the root is as near as xtol + rtol * root, 2e-12 and 8.9e-16\n"
                                "maxIter: 100\nfuncDataParam: a vector of further arguments of f",
                  .nulls = "a and b must not be NULL; a NULL of f counts as no sign.",
                  .errors = "f is no function, or gives no number.",
                  .complexity = "O(calls of f), at most maxIter",
                  .source = "Brent 1973",
                  .example = "brentq(x -> x * x - 4, 0, 9)[1].round(9) -> 2"
                             "\nbrentq(sin, 3, 4) -> (\"CONVERGED\",3.141593)"},
                 calls);
    registry.add("derivative(func, X, [dx=1.0], [n=1], [order=3])", derivativeKernel,
                 {.summary = "The first derivative of a function at X by central differences, as DOUBLE.",
                  .parameters = "func: a function of a number that gives a number\nX: a number or a vector of numbers\n"
                                "dx: the distance of the points, above 0\nn: 1\norder: how many points, odd, 3 to 1023",
                  .nulls = "NULL for NULL, and where func gives NULL.",
                  .errors = "func is no function, or gives no number; an option is out of its range.",
                  .complexity = "O(elements · order) calls of func",
                  .source = "Fornberg 1988",
                  .example = "derivative(pow{3,}, 5) -> 324"},
                 calls);
    registry.add(
        "integral(func, start, end, [start2], [end2])", integralKernel,
        {.summary = "The integral of a function of one variable from start to end, or of two over a plane region, as "
                    "DOUBLE.",
         .parameters = "func: a function of one number, or of two, that gives a number\n"
                       "start, end: numbers or vectors of one length; NULL is infinite\n"
                       "start2, end2: the same for the second variable, or functions of the first",
         .nulls = "NULL where the integral is infinite, does not converge, or func gives NULL.",
         .errors = "func is no function, or gives no number; the ends differ in length.",
         .complexity = "at most 4200 calls of func for each element, the square of that for two variables",
         .source = "Piessens et al. 1983, QUADPACK",
         .example = "integral(abs, -10, 10).round(6) -> 100"},
        calls);
}

}  // namespace pelorus
