#include "stdlib/optimisation/quadrature.h"

#include <array>
#include <cmath>
#include <limits>
#include <queue>

namespace pelorus {

namespace {

constexpr int kMaxPieces = 200;
constexpr double kTolerance = 1.49e-8;

// The nodes of Kronrod's rule from the outermost to the middle, with their weights, and Gauss' weights of every second.
constexpr std::array<double, 11> kNodes = {0.995657163025808080735527280689003,
                                           0.973906528517171720077964012084452,
                                           0.930157491355708226001207180059508,
                                           0.865063366688984510732096688423493,
                                           0.780817726586416897063717578345042,
                                           0.679409568299024406234327365114874,
                                           0.562757134668604683339000099272694,
                                           0.433395394129247190799265943165784,
                                           0.294392862701460198131126603103866,
                                           0.14887433898163121088482600112972,
                                           0};
constexpr std::array<double, 11> kWeights = {
    0.011694638867371874278064396062192, 0.03255816230796472747881897245939,  0.05475589657435199603138130024458,
    0.07503967481091995276704314091619,  0.093125454583697605535065465083366, 0.109387158802297641899210590325805,
    0.123491976262065851077958109585166, 0.134709217311473325928054001771707, 0.142775938577060080797094273138717,
    0.147739104901338491374841515972068, 0.149445554002916905664936468389821};
constexpr std::array<double, 5> kGauss = {0.066671344308688137593568809893332, 0.149451349150580593145863397657697,
                                          0.219086362515982043995534934228163, 0.269266719309996355091226921569469,
                                          0.295524224714752870173815619188769};

struct Piece {
    double from, to, value, error;
    bool operator<(const Piece& other) const { return error < other.error; }
};

Piece measured(const std::function<double(double)>& f, double from, double to) {
    const double middle = (from + to) / 2, half = (to - from) / 2;
    double kronrod = kWeights[10] * f(middle), gauss = 0;
    for (size_t i = 0; i < 10; ++i) {
        const double both = f(middle - half * kNodes[i]) + f(middle + half * kNodes[i]);
        kronrod += kWeights[i] * both;
        if (i % 2 == 1) gauss += kGauss[i / 2] * both;
    }
    return {from, to, kronrod * half, std::abs((kronrod - gauss) * half)};
}

double overPieces(const std::function<double(double)>& f, double from, double to) {
    std::priority_queue<Piece> pieces;
    pieces.push(measured(f, from, to));
    double value = pieces.top().value, error = pieces.top().error;
    const auto isGood = [&] { return error <= std::max(kTolerance, kTolerance * std::abs(value)); };
    for (int i = 1; i < kMaxPieces && std::isfinite(value) && !isGood(); ++i) {
        const Piece worst = pieces.top();
        pieces.pop();
        const double middle = (worst.from + worst.to) / 2;
        const Piece left = measured(f, worst.from, middle), right = measured(f, middle, worst.to);
        value += left.value + right.value - worst.value;
        error += left.error + right.error - worst.error;
        pieces.push(left);
        pieces.push(right);
    }
    // A value whose first digits are not sure is none: the integral does not exist, or is infinite.
    const bool isSure = std::isfinite(value) && error <= 1e-3 * std::abs(value) + kTolerance;
    return isSure ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double integrate(const std::function<double(double)>& f, double from, double to) {
    if (from == to) return 0;
    if (from > to) return -integrate(f, to, from);
    const bool fromInfinity = std::isinf(from), toInfinity = std::isinf(to);
    if (!fromInfinity && !toInfinity) return overPieces(f, from, to);
    // x = end ± (1 - t) / t maps (0, 1] to the half line.
    const double end = fromInfinity ? toInfinity ? 0 : to : from;
    return overPieces(
        [&](double t) {
            const double away = (1 - t) / t;
            double sum = 0;
            if (toInfinity) sum += f(end + away);
            if (fromInfinity) sum += f(end - away);
            return sum / (t * t);
        },
        0, 1);
}

}  // namespace pelorus
