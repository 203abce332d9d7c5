#include "stdlib/optimisation/linear_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/matrix/dense_solve.h"

namespace pelorus {

namespace {

constexpr double kZero = 1e-9;
constexpr int kMaxSteps = 50000;

// How a variable of the program follows from those of the tableau, all at least 0: offset + sign * u - v.
struct Substitution {
    size_t column;
    double offset = 0, sign = 1;
    bool isFree = false;  // the next column is v
};

// The tableau: a row for each constraint with its basic variable, and a row of reduced costs; the last cell of a row is
// its right-hand side.
class Tableau {
public:
    Tableau(size_t columns) : columns_(columns) {}

    void addRow(std::vector<double> row) { rows_.push_back(std::move(row)); }
    // Begins a phase with these costs.
    void setCosts(std::vector<double> costs) {
        costs_ = std::move(costs);
        costs_.resize(columns_ + 1, 0.0);
        for (size_t r = 0; r < rows_.size(); ++r) {
            const double cost = costs_[basis[r]];
            if (cost != 0) subtract(costs_, rows_[r], cost);
        }
    }
    // Makes steps until the costs are least. `usable` columns may enter.
    LinearStatus run(size_t usable, int& steps, const std::function<void()>& onStep) {
        int idle = 0;
        while (true) {
            if (++steps > kMaxSteps) return LinearStatus::IterationsUsedUp;
            onStep();
            const size_t column = entering(usable, idle > 20);
            if (column == columns_) return LinearStatus::Optimal;
            const size_t row = leaving(column);
            if (row == rows_.size()) return LinearStatus::Unbounded;
            idle = rows_[row].back() <= kZero ? idle + 1 : 0;
            pivot(row, column);
        }
    }
    void pivot(size_t row, size_t column) {
        const double by = rows_[row][column];
        for (double& cell : rows_[row]) cell /= by;
        for (size_t r = 0; r < rows_.size(); ++r) {
            if (r != row && rows_[r][column] != 0) subtract(rows_[r], rows_[row], double{rows_[r][column]});
        }
        subtract(costs_, rows_[row], double{costs_[column]});
        basis[row] = column;
    }
    double value() const { return -costs_.back(); }
    size_t size() const { return rows_.size(); }
    const std::vector<double>& row(size_t r) const { return rows_[r]; }

    std::vector<size_t> basis;  // the basic variable of each row

private:
    static void subtract(std::vector<double>& from, const std::vector<double>& row, double scale) {
        for (size_t i = 0; i < from.size(); ++i) from[i] -= scale * row[i];
    }
    size_t entering(size_t usable, bool byIndex) const {
        size_t best = columns_;
        double least = -kZero;
        for (size_t c = 0; c < usable; ++c) {
            if (costs_[c] >= least) continue;
            best = c;
            if (byIndex) break;
            least = costs_[c];
        }
        return best;
    }
    size_t leaving(size_t column) const {
        size_t best = rows_.size();
        double least = std::numeric_limits<double>::infinity();
        for (size_t r = 0; r < rows_.size(); ++r) {
            if (rows_[r][column] <= kZero) continue;
            const double ratio = rows_[r].back() / rows_[r][column];
            const bool isLess =
                ratio < least - kZero || (ratio < least + kZero && best < rows_.size() && basis[r] < basis[best]);
            if (!isLess) continue;
            least = std::min(least, ratio);
            best = r;
        }
        return best;
    }

    size_t columns_;
    std::vector<std::vector<double>> rows_;
    std::vector<double> costs_;
};

// Throws UserError when the tableau of a program has too many cells.
void requireTableau(const std::vector<LinearRow>& given, const std::vector<double>& low,
                    const std::vector<double>& high) {
    size_t rows = given.size(), equalities = 0, columns = low.size();
    for (const LinearRow& row : given) equalities += row.isEquality;
    for (size_t i = 0; i < low.size(); ++i) {
        const bool hasLow = std::isfinite(low[i]), hasHigh = std::isfinite(high[i]);
        rows += hasLow && hasHigh;
        columns += !hasLow && !hasHigh;
    }
    // A slack variable for each inequality, an artificial one for each row, and the right-hand side.
    requireDense(rows, columns + (rows - equalities) + rows + 1);
}

}  // namespace

LinearSolution solveLinear(const std::vector<double>& costs, const std::vector<LinearRow>& given,
                           const std::vector<double>& low, const std::vector<double>& high,
                           const std::function<void()>& onStep) {
    const size_t n = costs.size();
    requireTableau(given, low, high);
    std::vector<Substitution> places;
    size_t columns = 0;
    std::vector<LinearRow> rows = given;
    for (size_t i = 0; i < n; ++i) {
        Substitution s{.column = columns++};
        if (std::isfinite(low[i])) {
            s.offset = low[i];
            if (std::isfinite(high[i])) {
                std::vector<double> unit(n, 0.0);
                unit[i] = 1;
                rows.push_back({std::move(unit), high[i], false});
            }
        } else if (std::isfinite(high[i])) {
            s.offset = high[i];
            s.sign = -1;
        } else {
            s.isFree = true;
            ++columns;
        }
        places.push_back(s);
    }
    const size_t structural = columns;
    for (const LinearRow& row : rows) columns += !row.isEquality;
    const size_t artificialFrom = columns;
    columns += rows.size();
    Tableau tableau(columns);
    size_t slack = structural;
    for (size_t r = 0; r < rows.size(); ++r) {
        std::vector<double> cells(columns + 1, 0.0);
        cells.back() = rows[r].limit;
        for (size_t i = 0; i < n; ++i) {
            const double c = rows[r].coefficients[i];
            cells[places[i].column] = c * places[i].sign;
            if (places[i].isFree) cells[places[i].column + 1] = -c;
            cells.back() -= c * places[i].offset;
        }
        size_t basic = artificialFrom + r;
        const bool isTurned = cells.back() < 0;
        if (!rows[r].isEquality) {
            cells[slack] = 1;
            if (!isTurned) basic = slack;
            ++slack;
        }
        if (isTurned) {
            for (double& cell : cells) cell = -cell;
        }
        if (basic >= artificialFrom) cells[basic] = 1;
        tableau.addRow(std::move(cells));
        tableau.basis.push_back(basic);
    }
    LinearSolution solution;
    int steps = 0;
    std::vector<double> phase(columns, 0.0);
    std::fill(phase.begin() + static_cast<ptrdiff_t>(artificialFrom), phase.end(), 1.0);
    tableau.setCosts(phase);
    solution.status = tableau.run(artificialFrom, steps, onStep);
    if (solution.status == LinearStatus::IterationsUsedUp) return solution;
    double scale = 1;
    for (const LinearRow& row : rows) scale = std::max(scale, std::abs(row.limit));
    if (tableau.value() > 1e-7 * scale) {
        solution.status = LinearStatus::Infeasible;
        return solution;
    }
    for (size_t r = 0; r < tableau.size(); ++r) {  // artificial variables leave where they can
        if (tableau.basis[r] < artificialFrom) continue;
        for (size_t c = 0; c < artificialFrom; ++c) {
            if (std::abs(tableau.row(r)[c]) <= kZero) continue;
            tableau.pivot(r, c);
            break;
        }
    }
    std::vector<double> own(columns, 0.0);
    for (size_t i = 0; i < n; ++i) {
        own[places[i].column] = costs[i] * places[i].sign;
        if (places[i].isFree) own[places[i].column + 1] = -costs[i];
    }
    tableau.setCosts(own);
    solution.status = tableau.run(artificialFrom, steps, onStep);
    if (solution.status != LinearStatus::Optimal) return solution;
    std::vector<double> basic(columns, 0.0);
    for (size_t r = 0; r < tableau.size(); ++r) basic[tableau.basis[r]] = tableau.row(r).back();
    for (size_t i = 0; i < n; ++i) {
        const Substitution& s = places[i];
        solution.x.push_back(s.offset + s.sign * basic[s.column] - (s.isFree ? basic[s.column + 1] : 0));
        solution.value += costs[i] * solution.x[i];
    }
    return solution;
}

}  // namespace pelorus
