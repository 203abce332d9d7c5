#include "stdlib/optimisation/objective.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/value_parts.h"

namespace pelorus {

double dotProduct(const Point& a, const Point& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double lengthOf(const Point& a) {
    return std::sqrt(dotProduct(a, a));
}
Point moved(const Point& a, double scale, const Point& b) {
    Point result(a);
    for (size_t i = 0; i < a.size(); ++i) result[i] += scale * b[i];
    return result;
}

Point numbersOfCall(Context& context, const Function& function, std::string_view name, const Point& x,
                    bool wantsScalar) {
    context.checkCancelled();
    const Value point = wantsScalar ? Value::ofDouble(x[0]) : Value::of(Vector::of(Type::Double, x));
    const Value result = callWith(function, context, {point});
    const bool isNumeric = result.isVoid() || pelorus::isNumeric(result.type()) || isDecimal(result.type());
    const bool hasForm = result.isScalar() || result.isTypedVector() || result.isMatrix() || result.isPair();
    if (!isNumeric || !hasForm)
        throw UserError(fmt::format("{} must give numbers, but it gave {}.", name, typeString(result)));
    if (result.isVoid()) return {std::numeric_limits<double>::quiet_NaN()};
    std::vector<Value> one = {result};
    const Ref<Vector> reals = realsArgument(one, 0, name);
    Point numbers(reals->data<double>(), reals->data<double>() + reals->size());
    for (double& number : numbers) {
        if (isNull(number)) number = std::numeric_limits<double>::quiet_NaN();
    }
    return numbers;
}

Point Objective::numbersFrom(const Function& function, std::string_view what, const Point& x, size_t count) {
    Point numbers = numbersOfCall(context_, function, what, x, wantsScalar_);
    if (numbers.size() != count)
        throw UserError(fmt::format("{} must give {} numbers for {} parameters, but it gave {}.", what, count, x.size(),
                                    numbers.size()));
    return numbers;
}

double Objective::evaluate(const Point& x) {
    ++calls_;
    const Point numbers = numbersOfCall(context_, function_, "func", x, wantsScalar_);
    if (numbers.size() != 1)
        throw UserError(0, fmt::format("func must give one number, but it gave {}.", numbers.size()));
    return numbers[0];
}

double Objective::value(const Point& x) {
    if (x == valueAt_) return lastValue_;
    lastValue_ = evaluate(x);
    valueAt_ = x;
    return lastValue_;
}

const Point& Objective::gradient(const Point& x) {
    if (x == gradientAt_) return lastGradient_;
    ++gradientCalls_;
    if (gradient_ != nullptr) {
        lastGradient_ = numbersFrom(*gradient_, "fprime", x, x.size());
    } else {
        const double here = value(x);
        lastGradient_.resize(x.size());
        for (size_t i = 0; i < x.size(); ++i) {
            const bool isAtTop = !high_.empty() && x[i] + step_ > high_[i];
            const double step = isAtTop ? -step_ : step_;
            Point beside = x;
            beside[i] += step;
            lastGradient_[i] = (evaluate(beside) - here) / (beside[i] - x[i]);
        }
    }
    gradientAt_ = x;
    return lastGradient_;
}

Point Objective::hessian(const Point& x) {
    ++hessianCalls_;
    return numbersFrom(*hessian_, "fhess", x, x.size() * x.size());
}

}  // namespace pelorus
