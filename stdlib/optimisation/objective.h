// The function that an optimiser minimises: a function of the script, with the count of its calls.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "runtime/registry/registry.h"

namespace pelorus {

using Point = std::vector<double>;

double dotProduct(const Point& a, const Point& b);
double lengthOf(const Point& a);
// Returns a + scale * b.
Point moved(const Point& a, double scale, const Point& b);

// A function of a point, its gradient and its Hessian, each a function of the script or computed from values. Calls ask
// for cancellation. NULL results count as NaN. Keeps the last point with its value and gradient, which are not computed
// twice. For one thread.
class Objective {
public:
    // `wantsScalar`: the function takes the one coordinate as a scalar.
    Objective(Context& context, const Function& function, bool wantsScalar)
        : context_(context), function_(function), wantsScalar_(wantsScalar) {}

    void setGradient(const Function* gradient) { gradient_ = gradient; }
    void setHessian(const Function* hessian) { hessian_ = hessian; }
    // The step of forward differences, which stand in for a gradient; they stay within the bounds, which may be empty.
    void setStep(double step) { step_ = step; }
    void setBounds(Point low, Point high) {
        low_ = std::move(low);
        high_ = std::move(high);
    }

    double value(const Point& x);
    const Point& gradient(const Point& x);
    // Returns the Hessian, column by column. REQUIRES: setHessian.
    Point hessian(const Point& x);

    int64_t calls() const { return calls_; }
    int64_t gradientCalls() const { return gradientCalls_; }
    int64_t hessianCalls() const { return hessianCalls_; }

private:
    double evaluate(const Point& x);
    Point numbersFrom(const Function& function, std::string_view what, const Point& x, size_t count);

    Context& context_;
    const Function& function_;
    const Function* gradient_ = nullptr;
    const Function* hessian_ = nullptr;
    bool wantsScalar_;
    double step_ = 1.4901161193847656e-08;
    Point low_, high_;
    int64_t calls_ = 0, gradientCalls_ = 0, hessianCalls_ = 0;
    Point valueAt_, gradientAt_, lastGradient_;
    double lastValue_ = 0;
};

// Calls a function of the script with a point. Returns its numbers, NULL as NaN. Throws UserError for other results.
Point numbersOfCall(Context& context, const Function& function, std::string_view name, const Point& x,
                    bool wantsScalar);

}  // namespace pelorus
