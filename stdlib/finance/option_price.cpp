#include "stdlib/finance/option_price.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "stdlib/optimisation/quadrature.h"

namespace pelorus {

namespace {

double share(double x) {
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}
double density(double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

// The values on a grid of logarithms of the price, at the evaluation date and one step later.
struct Solved {
    std::vector<double> now, later;
    double width, step;
};

double payoff(const OptionTerms& o, double price) {
    return std::max(0.0, o.isCall ? price - o.strike : o.strike - price);
}

// Solves a tridiagonal system with constant rows inside, and ends that are given.
void solveRow(double below, double middle, double above, std::vector<double>& v, std::vector<double>& scratch) {
    const size_t n = v.size();
    scratch.assign(n, 0.0);
    for (size_t i = 1; i + 1 < n; ++i) {
        const double pivot = middle - below * scratch[i - 1];
        scratch[i] = above / pivot;
        v[i] = (v[i] - below * v[i - 1]) / pivot;
    }
    for (size_t i = n - 1; i-- > 1;) v[i] -= scratch[i] * v[i + 1];
}

Solved solveGrid(const OptionTerms& o, const OptionGrid& grid) {
    // An even number of steps, so that the spot is a point of the grid.
    const auto half = static_cast<int64_t>(std::max<int64_t>(grid.prices, 4) / 2), n = 2 * half + 1;
    const double root = o.volatility * std::sqrt(o.years);
    const double reach = std::max(5 * root, std::abs(std::log(o.strike / o.spot)) + 3 * root) + 1e-6;
    Solved s{std::vector<double>(static_cast<size_t>(n)),
             {},
             reach / static_cast<double>(half),
             o.years / static_cast<double>(grid.times)};
    std::vector<double> prices(static_cast<size_t>(n)), paid(static_cast<size_t>(n)), scratch;
    for (int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<size_t>(i);
        prices[k] = o.spot * std::exp(s.width * static_cast<double>(i - half));
        s.now[k] = paid[k] = payoff(o, prices[k]);
    }
    const double variance = o.volatility * o.volatility, drift = o.rate - o.dividend - variance / 2;
    const double up = variance / (2 * s.width * s.width) + drift / (2 * s.width);
    const double down = variance / (2 * s.width * s.width) - drift / (2 * s.width);
    const double stay = -variance / (s.width * s.width) - o.rate;
    for (int64_t t = 1; t <= grid.times; ++t) {
        const double left = s.step * static_cast<double>(t), implicit = t <= grid.damping ? 1 : 0.5;
        s.later = s.now;
        for (size_t i = 1; i + 1 < s.now.size(); ++i)
            s.now[i] = s.later[i] +
                       (1 - implicit) * s.step * (down * s.later[i - 1] + stay * s.later[i] + up * s.later[i + 1]);
        for (const size_t end : {size_t{0}, s.now.size() - 1}) {
            const double forward = prices[end] * std::exp(-o.dividend * left) - o.strike * std::exp(-o.rate * left);
            s.now[end] = std::max(o.isAmerican ? paid[end] : 0.0, std::max(0.0, o.isCall ? forward : -forward));
        }
        solveRow(-implicit * s.step * down, 1 - implicit * s.step * stay, -implicit * s.step * up, s.now, scratch);
        for (size_t i = 0; o.isAmerican && i < s.now.size(); ++i) s.now[i] = std::max(s.now[i], paid[i]);
    }
    return s;
}

double middleOf(const Solved& s) {
    return s.now[s.now.size() / 2];
}

using Complex = std::complex<double>;

// Returns the characteristic function of log(S_T / F) at u: exp(C + D v0), built span by span from the end.
Complex characteristic(const OptionTerms& o, const std::vector<HestonSpan>& spans, Complex u) {
    const Complex i(0, 1);
    Complex c = 0, d = 0;
    double end = o.years;
    for (size_t k = spans.size(); k-- > 0;) {
        const double begin = k == 0 ? 0 : std::min(spans[k - 1].until, o.years), width = end - begin;
        if (width <= 0) continue;
        const HestonSpan& p = spans[k];
        const double s2 = p.sigma * p.sigma;
        const Complex b = p.kappa - p.rho * p.sigma * i * u, root = std::sqrt(b * b + s2 * (i * u + u * u));
        // Riccati's equation from the value d at the end of the span, in the form without jumps of the logarithm.
        const Complex low = (b - root) / s2, high = (b + root) / s2;
        const Complex ratio = (d - low) / (d - high), decay = std::exp(-root * width);
        const Complex next = (low - high * ratio * decay) / (1.0 - ratio * decay);
        c += p.kappa * p.theta * (low * width - 2.0 / s2 * std::log((1.0 - ratio * decay) / (1.0 - ratio)));
        d = next;
        end = begin;
    }
    return std::exp(c + d * o.volatility * o.volatility);
}

}  // namespace

Greeks blackScholes(const OptionTerms& o) {
    const double root = std::sqrt(o.years), spread = o.volatility * root;
    const double discount = std::exp(-o.rate * o.years), yielded = std::exp(-o.dividend * o.years);
    const double sign = o.isCall ? 1 : -1;
    const double d1 = (std::log(o.spot / o.strike) + (o.rate - o.dividend) * o.years) / spread + spread / 2,
                 d2 = d1 - spread;
    Greeks g;
    g.npv = sign * (o.spot * yielded * share(sign * d1) - o.strike * discount * share(sign * d2));
    g.delta = sign * yielded * share(sign * d1);
    g.gamma = yielded * density(d1) / (o.spot * spread);
    g.theta = -o.spot * yielded * density(d1) * o.volatility / (2 * root) -
              sign * o.rate * o.strike * discount * share(sign * d2) +
              sign * o.dividend * o.spot * yielded * share(sign * d1);
    g.vega = o.spot * yielded * density(d1) * root;
    g.rho = sign * o.strike * o.years * discount * share(sign * d2);
    return g;
}

Greeks finiteDifferences(const OptionTerms& o, const OptionGrid& grid) {
    const Solved s = solveGrid(o, grid);
    const size_t m = s.now.size() / 2;
    Greeks g;
    g.npv = s.now[m];
    // By the chain rule from the logarithm of the price.
    const double first = (s.now[m + 1] - s.now[m - 1]) / (2 * s.width);
    const double second = (s.now[m + 1] - 2 * s.now[m] + s.now[m - 1]) / (s.width * s.width);
    g.delta = first / o.spot;
    g.gamma = (second - first) / (o.spot * o.spot);
    g.theta = (s.later[m] - s.now[m]) / s.step;
    OptionTerms up = o, down = o;
    const double dv = 1e-3 * o.volatility, dr = 1e-4;
    up.volatility += dv;
    down.volatility -= dv;
    g.vega = (middleOf(solveGrid(up, grid)) - middleOf(solveGrid(down, grid))) / (2 * dv);
    up = down = o;
    up.rate += dr;
    down.rate -= dr;
    g.rho = (middleOf(solveGrid(up, grid)) - middleOf(solveGrid(down, grid))) / (2 * dr);
    return g;
}

double heston(const OptionTerms& o, const std::vector<HestonSpan>& spans) {
    const double forward = o.spot * std::exp((o.rate - o.dividend) * o.years), discount = std::exp(-o.rate * o.years);
    const double k = std::log(forward / o.strike);
    // Lewis 2001: C = S e^(-qT) - sqrt(F K) e^(-rT) / pi ∫ Re[e^(iuk) phi(u - i/2)] / (u² + 1/4) du.
    const double integral = integrate(
        [&](double u) {
            const Complex phi = characteristic(o, spans, Complex(u, -0.5));
            return (std::exp(Complex(0, u * k)) * phi).real() / (u * u + 0.25);
        },
        0, std::numeric_limits<double>::infinity());
    const double call = discount * (forward - std::sqrt(forward * o.strike) / std::numbers::pi * integral);
    return o.isCall ? call : call - discount * (forward - o.strike);
}

}  // namespace pelorus
