#include "stdlib/optimisation/cone_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "stdlib/matrix/dense_solve.h"

namespace pelorus {

namespace {

using Numbers = std::vector<double>;

constexpr int kMaxIterations = 100;
constexpr double kTolerance = 1e-9, kCoarseTolerance = 1e-5;

double dot(const Numbers& a, const Numbers& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}
double norm(const Numbers& a) {
    return std::sqrt(dot(a, a));
}
// Adds scale * M x, or M' x when turned, to `out`. M stands column by column.
void addProduct(Numbers& out, const Numbers& m, size_t rows, size_t columns, const Numbers& x, double scale,
                bool turned) {
    if (m.empty()) return;
    for (size_t c = 0; c < columns; ++c) {
        const double* column = m.data() + c * rows;
        if (turned) {
            double sum = 0;
            for (size_t r = 0; r < rows; ++r) sum += column[r] * x[r];
            out[c] += scale * sum;
        } else if (x[c] != 0) {
            for (size_t r = 0; r < rows; ++r) out[r] += scale * x[c] * column[r];
        }
    }
}

// The cone, with the scaling W between s and z at an iterate: W z = W^-1 s = lambda.
class Scaling {
public:
    explicit Scaling(const ConeProgram& program) : orthant_(program.orthant), cones_(program.cones) {}

    // Returns the largest amount by which v is outside of the cone; below 0 inside.
    double violation(const Numbers& v) const {
        double worst = -std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < orthant_; ++i) worst = std::max(worst, -v[i]);
        forCones([&](size_t at, size_t size) { worst = std::max(worst, tail(v, at, size) - v[at]); });
        return worst;
    }
    void addUnit(Numbers& v, double scale) const {
        for (size_t i = 0; i < orthant_; ++i) v[i] += scale;
        forCones([&](size_t at, size_t) { v[at] += scale; });
    }
    size_t degree() const { return orthant_ + cones_.size(); }

    // Returns false when s or z are no more inside.
    bool compute(const Numbers& s, const Numbers& z) {
        w_.assign(s.size(), 0.0);
        eta_.clear();
        bool isInside = true;
        for (size_t i = 0; i < orthant_; ++i) {
            isInside &= s[i] > 0 && z[i] > 0;
            w_[i] = std::sqrt(s[i] / z[i]);
        }
        forCones([&](size_t at, size_t size) {
            const double sNorm = hyperbolic(s, at, size), zNorm = hyperbolic(z, at, size);
            isInside &= sNorm > 0 && zNorm > 0;
            double product = 0;
            for (size_t i = 0; i < size; ++i) product += s[at + i] / sNorm * (z[at + i] / zNorm);
            const double gamma = std::sqrt((1 + product) / 2);
            for (size_t i = 0; i < size; ++i)
                w_[at + i] = (s[at + i] / sNorm + (i == 0 ? 1 : -1) * z[at + i] / zNorm) / (2 * gamma);
            eta_.push_back(std::sqrt(sNorm / zNorm));
        });
        return isInside && std::ranges::all_of(w_, [](double v) { return std::isfinite(v); });
    }
    // Returns W v, or W^-1 v. W is symmetric.
    Numbers apply(const Numbers& v, bool inverse) const {
        Numbers out(v.size());
        for (size_t i = 0; i < orthant_; ++i) out[i] = inverse ? v[i] / w_[i] : v[i] * w_[i];
        size_t cone = 0;
        forCones([&](size_t at, size_t size) {
            const double eta = eta_[cone++], scale = inverse ? 1 / eta : eta, sign = inverse ? -1 : 1;
            double inner = 0;
            for (size_t i = 1; i < size; ++i) inner += w_[at + i] * v[at + i];
            out[at] = scale * (w_[at] * v[at] + sign * inner);
            const double factor = sign * v[at] + inner / (1 + w_[at]);
            for (size_t i = 1; i < size; ++i) out[at + i] = scale * (v[at + i] + factor * w_[at + i]);
        });
        return out;
    }
    // Returns a ∘ b, the product of the cone's algebra.
    Numbers times(const Numbers& a, const Numbers& b) const {
        Numbers out(a.size());
        for (size_t i = 0; i < orthant_; ++i) out[i] = a[i] * b[i];
        forCones([&](size_t at, size_t size) {
            out[at] = 0;
            for (size_t i = 0; i < size; ++i) out[at] += a[at + i] * b[at + i];
            for (size_t i = 1; i < size; ++i) out[at + i] = a[at] * b[at + i] + b[at] * a[at + i];
        });
        return out;
    }
    // Returns u with l ∘ u = v.
    Numbers divided(const Numbers& v, const Numbers& l) const {
        Numbers out(v.size());
        for (size_t i = 0; i < orthant_; ++i) out[i] = v[i] / l[i];
        forCones([&](size_t at, size_t size) {
            double squares = l[at] * l[at], inner = 0;
            for (size_t i = 1; i < size; ++i) {
                squares -= l[at + i] * l[at + i];
                inner += l[at + i] * v[at + i];
            }
            out[at] = (l[at] * v[at] - inner) / squares;
            for (size_t i = 1; i < size; ++i) out[at + i] = (v[at + i] - out[at] * l[at + i]) / l[at];
        });
        return out;
    }
    // Returns the largest step with l + step * d in the cone.
    double longestStep(const Numbers& l, const Numbers& d) const {
        double step = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < orthant_; ++i) {
            if (d[i] < 0) step = std::min(step, -l[i] / d[i]);
        }
        forCones([&](size_t at, size_t size) {
            double a = d[at] * d[at], b = l[at] * d[at], c = l[at] * l[at];
            for (size_t i = 1; i < size; ++i) {
                a -= d[at + i] * d[at + i];
                b -= l[at + i] * d[at + i];
                c -= l[at + i] * l[at + i];
            }
            // The smallest root above 0 of a t² + 2 b t + c, where c > 0.
            const double root = b * b - a * c;
            if (root < 0) return;
            const double q = -(b + std::copysign(std::sqrt(root), b));
            for (const double t : {q == 0 ? -1 : c / q, a == 0 ? -1 : q / a}) {
                if (t > 0) step = std::min(step, t);
            }
        });
        return step;
    }

private:
    template <class F>
    void forCones(F f) const {
        size_t at = orthant_;
        for (const size_t size : cones_) {
            f(at, size);
            at += size;
        }
    }
    static double tail(const Numbers& v, size_t at, size_t size) {
        double squares = 0;
        for (size_t i = 1; i < size; ++i) squares += v[at + i] * v[at + i];
        return std::sqrt(squares);
    }
    static double hyperbolic(const Numbers& v, size_t at, size_t size) {
        const double rest = tail(v, at, size);
        return std::sqrt((v[at] - rest) * (v[at] + rest));
    }

    size_t orthant_;
    std::vector<size_t> cones_;
    Numbers w_, eta_;
};

// Solves the linear systems of the iterations: P x + G'z + A'y = bx, A x = by, G x - W² z = bz.
class Equations {
public:
    Equations(const ConeProgram& program, const Scaling* scaling) : o_(program), scaling_(scaling) {
        const size_t n = o_.variables, p = o_.b.size(), size = n + p, m = o_.h.size();
        matrix_.assign(size * size, 0.0);
        scaled_.resize(m * n);
        for (size_t c = 0; c < n; ++c) {
            const Numbers column = scale(
                {o_.g.begin() + static_cast<ptrdiff_t>(c * m), o_.g.begin() + static_cast<ptrdiff_t>((c + 1) * m)});
            std::ranges::copy(column, scaled_.begin() + static_cast<ptrdiff_t>(c * m));
        }
        for (size_t c = 0; c < n; ++c) {
            checkCancelled();  // a column takes n · m steps
            for (size_t r = 0; r <= c; ++r) {
                double sum = o_.p.empty() ? 0 : o_.p[c * n + r];
                for (size_t k = 0; k < m; ++k) sum += scaled_[c * m + k] * scaled_[r * m + k];
                matrix_[c * size + r] = matrix_[r * size + c] = sum + (r == c ? 1e-13 * (1 + std::abs(sum)) : 0);
            }
            for (size_t k = 0; k < p; ++k) matrix_[c * size + n + k] = matrix_[(n + k) * size + c] = o_.a[c * p + k];
        }
        for (size_t k = 0; k < p; ++k) matrix_[(n + k) * size + n + k] = -1e-13;
    }

    // Solves in place; false when the matrix is singular. One step of refinement.
    bool solve(Numbers& x, Numbers& y, Numbers& z) const {
        const Numbers bx = x, by = y, bz = z;
        if (!reduced(x, y, z)) return false;
        for (int again = 0; again < 2; ++again) {
            Numbers rx = bx, ry = by, rz = bz;
            const size_t n = o_.variables;
            addProduct(rx, o_.p, n, n, x, -1, false);
            addProduct(rx, o_.g, o_.h.size(), n, z, -1, true);
            addProduct(rx, o_.a, o_.b.size(), n, y, -1, true);
            addProduct(ry, o_.a, o_.b.size(), n, x, -1, false);
            addProduct(rz, o_.g, o_.h.size(), n, x, -1, false);
            const Numbers turned = scaling_ == nullptr ? z : scaling_->apply(scaling_->apply(z, false), false);
            for (size_t i = 0; i < rz.size(); ++i) rz[i] += turned[i];
            if (!reduced(rx, ry, rz)) return true;
            for (size_t i = 0; i < x.size(); ++i) x[i] += rx[i];
            for (size_t i = 0; i < y.size(); ++i) y[i] += ry[i];
            for (size_t i = 0; i < z.size(); ++i) z[i] += rz[i];
        }
        return true;
    }

private:
    Numbers scale(const Numbers& v) const { return scaling_ == nullptr ? v : scaling_->apply(v, true); }
    bool reduced(Numbers& x, Numbers& y, Numbers& z) const {
        const size_t n = o_.variables, m = o_.h.size();
        const Numbers bz = scale(z);
        Numbers b = x;
        addProduct(b, scaled_, m, n, bz, 1, true);
        b.insert(b.end(), y.begin(), y.end());
        if (!solveDense(matrix_, b, b.size())) return false;
        std::copy_n(b.begin(), n, x.begin());
        std::copy(b.begin() + static_cast<ptrdiff_t>(n), b.end(), y.begin());
        Numbers rest(m, 0.0);
        addProduct(rest, scaled_, m, n, x, 1, false);
        for (size_t i = 0; i < m; ++i) rest[i] -= bz[i];
        z = scale(rest);
        return true;
    }

    const ConeProgram& o_;
    const Scaling* scaling_;  // null: the identity
    Numbers matrix_, scaled_;
};

// An iterate with its residuals.
struct Iterate {
    Numbers x, y, s, z;
    Numbers rx, ry, rz;
    double gap = 0, primal = 0, dual = 0;

    void measure(const ConeProgram& o) {
        const size_t n = o.variables, m = o.h.size();
        rx = o.q;
        Numbers px(n, 0.0);
        addProduct(px, o.p, n, n, x, 1, false);
        for (size_t i = 0; i < n; ++i) rx[i] += px[i];
        addProduct(rx, o.g, m, n, z, 1, true);
        addProduct(rx, o.a, o.b.size(), n, y, 1, true);
        ry.assign(o.b.size(), 0.0);
        addProduct(ry, o.a, o.b.size(), n, x, 1, false);
        for (size_t i = 0; i < ry.size(); ++i) ry[i] -= o.b[i];
        rz = s;
        addProduct(rz, o.g, m, n, x, 1, false);
        for (size_t i = 0; i < m; ++i) rz[i] -= o.h[i];
        const double half = dot(x, px) / 2;
        gap = dot(s, z);
        primal = half + dot(o.q, x);
        dual = primal + dot(y, ry) + dot(z, rz) - gap;
    }
    bool isOptimal(const ConeProgram& o, double tolerance) const {
        const double feasible = std::max(norm(ry) / std::max(1.0, norm(o.b)), norm(rz) / std::max(1.0, norm(o.h)));
        const double stationary = norm(rx) / std::max(1.0, norm(o.q));
        const double relative = gap / std::max({1.0, std::abs(primal), std::abs(dual)});
        return feasible <= tolerance && stationary <= tolerance && relative <= tolerance;
    }
    // Whether z and y prove that no x fulfils the constraints.
    bool provesInfeasible(const ConeProgram& o) const {
        const double value = dot(o.h, z) + dot(o.b, y);
        if (!(value < 0)) return false;
        Numbers residual(o.variables, 0.0);
        addProduct(residual, o.g, o.h.size(), o.variables, z, 1, true);
        addProduct(residual, o.a, o.b.size(), o.variables, y, 1, true);
        return norm(residual) / -value <= 1e-8 * std::max(1.0, norm(o.q));
    }
    // Whether x is a direction along which the value falls for ever.
    bool provesUnbounded(const ConeProgram& o) const {
        const double value = dot(o.q, x);
        if (!(value < 0)) return false;
        Numbers px(o.variables, 0.0), gx = s, ax(o.b.size(), 0.0);
        addProduct(px, o.p, o.variables, o.variables, x, 1, false);
        addProduct(gx, o.g, o.h.size(), o.variables, x, 1, false);
        addProduct(ax, o.a, o.b.size(), o.variables, x, 1, false);
        return std::max({norm(px), norm(gx), norm(ax)}) / -value <= 1e-8;
    }
};

// Returns the first iterate: the solution without the cone, moved into it.
bool begin(const ConeProgram& o, const Scaling& cone, Iterate& at) {
    at.x = o.q;
    for (double& v : at.x) v = -v;
    at.y = o.b;
    at.z = o.h;
    if (!Equations(o, nullptr).solve(at.x, at.y, at.z)) return false;
    at.s = at.z;
    for (double& v : at.s) v = -v;
    for (Numbers* v : {&at.s, &at.z}) {
        const double out = cone.violation(*v);
        if (out >= -1e-8 * std::max(1.0, norm(*v))) cone.addUnit(*v, 1 + out);
    }
    return true;
}

struct Direction {
    Numbers x, y, s, z;  // s and z scaled
};

// Returns the direction whose complementarity is `target` (λ ∘ (ds + dz) = target, both scaled).
bool solveDirection(const Equations& equations, const Scaling& cone, const Iterate& at, const Numbers& lambda,
                    const Numbers& target, Direction& d) {
    const Numbers share = cone.divided(target, lambda);
    d.x = at.rx;
    d.y = at.ry;
    d.z = at.rz;
    for (double& v : d.x) v = -v;
    for (double& v : d.y) v = -v;
    const Numbers unscaled = cone.apply(share, false);
    for (size_t i = 0; i < d.z.size(); ++i) d.z[i] = -d.z[i] - unscaled[i];
    if (!equations.solve(d.x, d.y, d.z)) return false;
    d.z = cone.apply(d.z, false);
    d.s.resize(d.z.size());
    for (size_t i = 0; i < d.z.size(); ++i) d.s[i] = share[i] - d.z[i];
    return true;
}

// Makes one iteration. Returns false when it goes no further.
bool iterate(const ConeProgram& o, Scaling& cone, Iterate& at) {
    if (!cone.compute(at.s, at.z)) return false;
    const Equations equations(o, &cone);
    const Numbers lambda = cone.apply(at.z, false);
    const auto degree = static_cast<double>(cone.degree());
    const double mu = dot(lambda, lambda) / degree;
    Numbers target = cone.times(lambda, lambda);
    for (double& v : target) v = -v;
    Direction d;
    if (!solveDirection(equations, cone, at, lambda, target, d)) return false;
    const auto longest = [&] { return std::min(cone.longestStep(lambda, d.s), cone.longestStep(lambda, d.z)); };
    const double reach = std::min(1.0, longest());
    const double left = 1 - reach + dot(d.s, d.z) / dot(lambda, lambda) * reach * reach;
    const double sigma = std::pow(std::clamp(left, 0.0, 1.0), 3);
    const Numbers second = cone.times(d.s, d.z);
    for (size_t i = 0; i < target.size(); ++i) target[i] -= second[i];
    cone.addUnit(target, sigma * mu);
    if (!solveDirection(equations, cone, at, lambda, target, d)) return false;
    const double step = std::min(1.0, 0.99 * longest());
    if (!(step > 1e-12)) return false;
    const Numbers ds = cone.apply(d.s, false), dz = cone.apply(d.z, true);
    const auto add = [&](Numbers& v, const Numbers& by) {
        for (size_t i = 0; i < v.size(); ++i) v[i] += step * by[i];
    };
    add(at.x, d.x);
    add(at.y, d.y);
    add(at.s, ds);
    add(at.z, dz);
    return true;
}

}  // namespace

void ConeProgram::addInequality(std::vector<double> coefficients, double limit) {
    CHECK(cones.empty()) << "rows of the orthant come first";
    inequalities_.push_back(std::move(coefficients));
    h.push_back(limit);
    ++orthant;
}

void ConeProgram::addEquality(std::vector<double> coefficients, double value) {
    equalities_.push_back(std::move(coefficients));
    b.push_back(value);
}

void ConeProgram::addBall(const std::vector<double>& rows, const std::vector<double>& offsets, double bound) {
    cones.push_back(offsets.size() + 1);
    ballRows_.emplace_back(variables, 0.0);
    h.push_back(bound);
    for (size_t r = 0; r < offsets.size(); ++r) {
        std::vector<double>& row = ballRows_.emplace_back(variables);
        for (size_t c = 0; c < variables; ++c) row[c] = -rows[c * offsets.size() + r];
        h.push_back(offsets[r]);
    }
}

void ConeProgram::finish() {
    requireDense(h.size() + b.size(), variables);
    const auto pack = [&](const std::vector<std::vector<double>>& rows) {
        std::vector<double> cells(rows.size() * variables);
        for (size_t r = 0; r < rows.size(); ++r) {
            for (size_t c = 0; c < variables; ++c) cells[c * rows.size() + r] = rows[r][c];
        }
        return cells;
    };
    std::vector<std::vector<double>> all = inequalities_;
    all.insert(all.end(), ballRows_.begin(), ballRows_.end());
    g = pack(all);
    a = pack(equalities_);
}

ConeSolution solveCone(const ConeProgram& o, const std::function<void()>& onIteration) {
    ConeSolution solution;
    Scaling cone(o);
    Iterate at;
    if (!begin(o, cone, at)) return solution;
    if (o.h.empty()) {  // equalities only: the first iterate is the optimum, if there is one
        at.measure(o);
        solution.status = at.isOptimal(o, 1e-6) ? ConeStatus::Optimal : ConeStatus::NumericalTrouble;
        solution.x = at.x;
        solution.y = at.y;
        solution.value = at.primal;
        return solution;
    }
    solution.status = ConeStatus::IterationsUsedUp;
    for (int i = 0; i < kMaxIterations; ++i) {
        onIteration();
        at.measure(o);
        if (at.isOptimal(o, kTolerance)) {
            solution.status = ConeStatus::Optimal;
            break;
        }
        if (at.provesInfeasible(o) || at.provesUnbounded(o)) {
            solution.status = at.provesInfeasible(o) ? ConeStatus::Infeasible : ConeStatus::Unbounded;
            break;
        }
        if (!iterate(o, cone, at)) {
            solution.status = ConeStatus::NumericalTrouble;
            break;
        }
    }
    at.measure(o);
    const bool gaveUp =
        solution.status == ConeStatus::IterationsUsedUp || solution.status == ConeStatus::NumericalTrouble;
    if (gaveUp && at.isOptimal(o, kCoarseTolerance)) solution.status = ConeStatus::Inaccurate;
    solution.x = at.x;
    solution.y = at.y;
    solution.z = at.z;
    solution.value = at.primal;
    return solution;
}

}  // namespace pelorus
