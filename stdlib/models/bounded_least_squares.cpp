// bvls: least squares whose coefficients stay within bounds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/matrix/dense_solve.h"
#include "stdlib/models/training.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

// X'X and X'y of the factors, with a column of ones first where there is an intercept.
struct NormalEquations {
    size_t width = 0;
    std::vector<double> xx, xy;
    double yy = 0;

    NormalEquations(const TrainingRows& rows, bool intercept) : width(rows.x.width() + intercept) {
        const auto column = [&](size_t c) -> const std::vector<double>* {
            return intercept && c == 0 ? nullptr : &rows.x.columns[c - intercept];
        };
        const auto product = [&](const std::vector<double>* a, const std::vector<double>* b) {
            double sum = 0;
            for (size_t i = 0; i < rows.rows(); ++i) sum += (a ? (*a)[i] : 1) * (b ? (*b)[i] : 1);
            return sum;
        };
        for (size_t c = 0; c < width; ++c) {
            for (size_t r = 0; r < width; ++r) xx.push_back(product(column(c), column(r)));
            xy.push_back(product(column(c), &rows.y));
        }
        yy = product(&rows.y, &rows.y);
    }
    // Returns half the gradient of the squares that are left, with the sign turned.
    std::vector<double> pull(const std::vector<double>& b) const {
        std::vector<double> result = xy;
        for (size_t c = 0; c < width; ++c) {
            for (size_t r = 0; r < width; ++r) result[r] -= xx[c * width + r] * b[c];
        }
        return result;
    }
    double squares(const std::vector<double>& b) const {
        const std::vector<double> left = pull(b);
        double sum = yy;
        for (size_t i = 0; i < width; ++i) sum -= b[i] * (xy[i] + left[i]);
        return sum;
    }
};

enum class Place : int8_t { Low = -1, Free = 0, High = 1 };

// Solves for the free coefficients; the others stay. Returns false when the system is singular.
bool solveFree(const NormalEquations& e, const std::vector<Place>& places, std::vector<double>& b) {
    std::vector<size_t> free;
    for (size_t i = 0; i < e.width; ++i) {
        if (places[i] == Place::Free) free.push_back(i);
    }
    std::vector<double> system, right;
    for (const size_t c : free) {
        for (const size_t r : free) system.push_back(e.xx[c * e.width + r]);
    }
    for (const size_t r : free) {
        double value = e.xy[r];
        for (size_t c = 0; c < e.width; ++c) {
            if (places[c] != Place::Free) value -= e.xx[c * e.width + r] * b[c];
        }
        right.push_back(value);
    }
    if (!solveDense(std::move(system), right, free.size())) return false;
    for (size_t k = 0; k < free.size(); ++k) b[free[k]] = right[k];
    return true;
}

// Moves to the minimum over the free coefficients, fixing those that reach a bound on the way.
void descendFree(const NormalEquations& e, const std::vector<double>& low, const std::vector<double>& high,
                 std::vector<Place>& places, std::vector<double>& b) {
    for (size_t round = 0; round <= e.width; ++round) {
        std::vector<double> goal = b;
        if (!solveFree(e, places, goal)) return;
        double step = 1;
        size_t first = e.width;
        for (size_t i = 0; i < e.width; ++i) {
            if (places[i] != Place::Free || (goal[i] >= low[i] && goal[i] <= high[i])) continue;
            const double bound = goal[i] < low[i] ? low[i] : high[i], share = (bound - b[i]) / (goal[i] - b[i]);
            if (share < step || first == e.width) {
                step = std::clamp(share, 0.0, 1.0);
                first = i;
            }
        }
        for (size_t i = 0; i < e.width; ++i) b[i] += step * (goal[i] - b[i]);
        if (first == e.width) return;
        places[first] = goal[first] < low[first] ? Place::Low : Place::High;
        b[first] = places[first] == Place::Low ? low[first] : high[first];
    }
}

// Stark, Parker 1995.
std::vector<double> solveBounded(Context& context, const NormalEquations& e, const std::vector<double>& low,
                                 const std::vector<double>& high, int64_t most, double tolerance) {
    std::vector<double> b(e.width, 0.0);
    std::vector<Place> places(e.width, Place::Free);
    if (solveFree(e, places, b)) {
        for (size_t i = 0; i < e.width; ++i) {
            places[i] = b[i] <= low[i] ? Place::Low : b[i] >= high[i] ? Place::High : Place::Free;
            b[i] = std::clamp(b[i], low[i], high[i]);
        }
    } else {
        for (size_t i = 0; i < e.width; ++i) {
            places[i] = std::isfinite(low[i]) ? Place::Low : std::isfinite(high[i]) ? Place::High : Place::Free;
            b[i] = std::isfinite(low[i]) ? low[i] : std::isfinite(high[i]) ? high[i] : 0;
        }
    }
    descendFree(e, low, high, places, b);
    double before = e.squares(b);
    for (int64_t i = 0; i < most; ++i) {
        context.checkCancelled();
        const std::vector<double> pull = e.pull(b);
        size_t best = e.width;
        double largest = tolerance;
        for (size_t k = 0; k < e.width; ++k) {
            const double inward = places[k] == Place::Low ? pull[k] : places[k] == Place::High ? -pull[k] : 0;
            if (inward <= largest || low[k] == high[k]) continue;
            largest = inward;
            best = k;
        }
        if (best == e.width) break;
        places[best] = Place::Free;
        descendFree(e, low, high, places, b);
        const double squares = e.squares(b);
        if (before - squares < tolerance) break;
        before = squares;
    }
    return b;
}

std::vector<double> boundOf(Arguments a, int64_t side, size_t factors, bool intercept) {
    std::vector<Value> one = {a[2].at(side)};
    std::vector<double> bound = one[0].isScalar() ? std::vector(factors, realArgument(one, 0, "bounds"))
                                                  : columnArgument(one, 0, "bounds", NullCells::Refused);
    if (bound.size() == factors + 1 && intercept) return bound;
    if (bound.size() != factors) refuseArgument(2, "bounds", fmt::format("{} numbers for each side", factors), a[2]);
    if (intercept) bound.insert(bound.begin(), one[0].isScalar() ? bound[0] : side == 0 ? -HUGE_VAL : HUGE_VAL);
    return bound;
}

// bvls(Y, X, bounds, [maxIter], [tolerance], [intercept], [mode])
Value bvlsKernel(Context& context, Arguments a) {
    const TrainingRows rows = trainingRows(a, NullCells::Zero);
    const bool intercept = flagArgument(a, 5, "intercept", true);
    if (!(a[2].isTuple() || a[2].isTypedVector() || a[2].isPair()) || a[2].size() != 2)
        refuseArgument(2, "bounds", "a tuple of the lower and the upper bound", a[2]);
    const std::vector<double> low = boundOf(a, 0, rows.x.width(), intercept),
                              high = boundOf(a, 1, rows.x.width(), intercept);
    for (size_t i = 0; i < low.size(); ++i) {
        if (!(low[i] <= high[i]))
            throw UserError(2, fmt::format("The bounds leave nothing: {} and {}.", low[i], high[i]));
    }
    const double tolerance = realArgument(a, 4, "tolerance", 1e-10);
    if (!(tolerance > 0)) refuseArgument(4, "tolerance", "above 0", a[4]);
    const int64_t most = integerArgument(a, 3, "maxIter", static_cast<int64_t>(low.size()));
    if (most < 1) refuseArgument(3, "maxIter", "1 or more", a[3]);
    if (integerArgument(a, 6, "mode", 0) != 0) refuseArgument(6, "mode", "0", a[6]);
    return realsOf(solveBounded(context, NormalEquations(rows, intercept), low, high, most, tolerance));
}

}  // namespace

void registerBoundedLeastSquares(FunctionRegistry& registry) {
    registry.add(
        "bvls(Y, X, bounds, [maxIter], [tolerance=1e-10], [intercept=true], [mode=0])", bvlsKernel,
        {.summary = "The coefficients of the least squares regression that lie within bounds, the intercept "
                    "first, as DOUBLE.",
         .parameters = "Y: a vector of numbers\nX: the factors: a vector, tuple of vectors, matrix or table\n"
                       "bounds: a tuple of the lower and the upper bound; each a number for all coefficients, the "
                       "intercept included, or a vector with one for each factor, which leaves the intercept "
                       "free\nmaxIter: from 1, by default the number of coefficients\n"
                       "tolerance: a smaller gain ends the iterations\nintercept: whether there is one\nmode: 0",
         .nulls = "NULL counts as 0; bounds must hold none.",
         .errors = "Y and X differ in rows; bounds leave nothing.",
         .complexity = "O(rows · factors² + iterations · factors³)",
         .source = "Stark, Parker 1995",
         .example = "bvls(1 4 7, 0 1 2, (0.0, 2.0)) -> [2,2]"});
}

}  // namespace pelorus
