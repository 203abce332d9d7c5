// The Box-Cox power transformation.
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// (x^lambda - 1) / lambda, and its limit log x at 0; NULL where it is not defined.
double transformed(double x, double lambda) {
    if (isNull(x) || isNull(lambda) || x < 0) return null<double>;
    if (x == 0) return lambda > 0 ? -1 / lambda : null<double>;
    return lambda == 0 ? std::log(x) : std::expm1(lambda * std::log(x)) / lambda;
}

// Minus the logarithm of the likelihood of lambda (Box and Cox 1964), up to a constant.
double badness(const Vector& x, double lambda) {
    const int64_t n = x.size();
    double logs = 0, mean = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (i % 65536 == 0) checkCancelled();
        const double y = transformed(x.data<double>()[i], lambda);
        logs += std::log(x.data<double>()[i]);
        const double delta = y - mean;
        mean += delta / static_cast<double>(i + 1);
        squares += delta * (y - mean);
    }
    const auto count = static_cast<double>(n);
    return count / 2 * std::log(squares / count) - (lambda - 1) * logs;
}

// boxcox(X, [lmbda])
Value boxcoxKernel(Context&, Arguments a) {
    const Ref<Vector> x = realsArgument(a, 0, "X");
    const int64_t n = x->size();
    auto apply = [&](auto lambdaAt) {
        Ref<Vector> out = Vector::make(Type::Double, n);
        inPieces(n, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                out->mutableData<double>()[i] = transformed(x->data<double>()[i], lambdaAt(i));
        });
        return Value::of(out);
    };
    if (isGiven(a, 1)) {
        if (a[1].isScalar()) {
            const double lambda = realArgument(a, 1, "lmbda");
            return apply([=](int64_t) { return lambda; });
        }
        const Ref<Vector> lambdas = realsArgument(a, 1, "lmbda");
        if (lambdas->size() != n) refuseArgument(1, "lmbda", "a number, or one for each element of X", a[1]);
        return apply([&](int64_t i) { return lambdas->data<double>()[i]; });
    }
    bool differ = false;
    for (int64_t i = 0; i < n; ++i) {
        const double element = x->data<double>()[i];
        if (isNull(element) || element <= 0)
            refuseArgument(0, "X", "made of numbers above 0 when lmbda is not given", a[0]);
        differ = differ || element != x->data<double>()[0];
    }
    if (!differ) throw UserError(0, "All elements of X are equal: no lmbda is better than another.");
    constexpr double kFarthest = 10;
    const double best = boost::math::tools::brent_find_minima([&](double lambda) { return badness(*x, lambda); },
                                                              -kFarthest, kFarthest, 40)
                            .first;
    std::vector<Value> answer = {apply([=](int64_t) { return best; }), Value::ofDouble(best)};
    return Value::of(makeRef<Tuple>(std::move(answer)));
}

}  // namespace

void registerBoxCox(FunctionRegistry& registry) {
    registry.add(
        "boxcox(X, [lmbda])", boxcoxKernel,
        {.summary = "The Box-Cox transformation (X^lmbda - 1) / lmbda; without lmbda a tuple of X under the most "
                    "likely lmbda, and that number.",
         .nulls = "NULL for NULL, below 0, and where the power is not defined.",
         .errors = "Without lmbda: an element is not above 0, or all are equal.",
         .source = "Box and Cox 1964",
         .example = "boxcox(1 2 3, 2) -> [0,1.5,4]"});
}

}  // namespace pelorus
