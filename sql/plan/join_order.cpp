#include "sql/plan/join_order.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "common/check.h"

namespace pelorus {

namespace {

constexpr size_t kMaxSidesInAllOrders = 10;

using Sides = uint64_t;  // a bit for each

// Estimates of one graph.
class Estimates {
public:
    Estimates(std::span<const double> rows, const std::vector<EqualColumns>& equalities)
        : rows_(rows), equalities_(equalities) {}

    // Returns the rows of the join of `joined`, which has `joinedRows`, with one more side. A side that nothing
    // connects multiplies.
    double rowsWith(Sides joined, double joinedRows, size_t side) const {
        double values = 1;
        for (const EqualColumns& equal : equalities_) {
            double most = 0, own = 0;
            for (size_t i = 0; i < equal.sides.size(); ++i) {
                if (equal.sides[i] == side) own = equal.distinct[i];
                if ((joined >> equal.sides[i] & 1) != 0) most = std::max(most, equal.distinct[i]);
            }
            if (own > 0 && most > 0) values *= std::max(own, most);
        }
        // Several keys together have no more values than the larger side has rows.
        values = std::min(values, std::max({joinedRows, rows_[side], 1.0}));
        return std::max(joinedRows * rows_[side] / values, 1.0);
    }
    double rowsOf(size_t side) const { return std::max(rows_[side], 1.0); }
    bool isConnected(Sides joined, size_t side) const {
        return std::any_of(equalities_.begin(), equalities_.end(), [&](const EqualColumns& equal) {
            bool has = false, reaches = false;
            for (size_t of : equal.sides) {
                has = has || of == side;
                reaches = reaches || (joined >> of & 1) != 0;
            }
            return has && reaches;
        });
    }
    size_t count() const { return rows_.size(); }

private:
    std::span<const double> rows_;
    const std::vector<EqualColumns>& equalities_;
};

struct Best {
    double cost = std::numeric_limits<double>::infinity();  // rows of all intermediate results
    double rows = 0;
    size_t last = 0;
};

std::vector<size_t> bestOfAll(const Estimates& estimates) {
    const size_t count = estimates.count();
    std::vector<Best> best(size_t{1} << count);
    for (size_t side = 0; side < count; ++side) best[size_t{1} << side] = {0, estimates.rowsOf(side), side};
    for (Sides joined = 1; joined < best.size(); ++joined) {
        const Best& known = best[joined];
        for (size_t side = 0; side < count; ++side) {
            if ((joined >> side & 1) != 0) continue;
            const double rows = estimates.rowsWith(joined, known.rows, side);
            Best& with = best[joined | size_t{1} << side];
            if (known.cost + rows < with.cost) with = {known.cost + rows, rows, side};
        }
    }
    std::vector<size_t> order;
    for (Sides left = best.size() - 1; left != 0; left &= ~(Sides{1} << order.back())) order.push_back(best[left].last);
    std::reverse(order.begin(), order.end());
    return order;
}

std::vector<size_t> greedy(const Estimates& estimates) {
    const size_t count = estimates.count();
    CHECK(count <= 64) << "a set of sides is a word";
    size_t first = 0;
    for (size_t side = 1; side < count; ++side) {
        if (estimates.rowsOf(side) < estimates.rowsOf(first)) first = side;
    }
    std::vector<size_t> order{first};
    Sides joined = Sides{1} << first;
    double rows = estimates.rowsOf(first);
    while (order.size() < count) {
        std::optional<size_t> next;
        double fewest = 0;
        bool nextIsConnected = false;
        for (size_t side = 0; side < count; ++side) {
            if ((joined >> side & 1) != 0) continue;
            const double with = estimates.rowsWith(joined, rows, side);
            const bool isConnected = estimates.isConnected(joined, side);
            const bool isBetter = isConnected != nextIsConnected ? isConnected : with < fewest;
            if (next && !isBetter) continue;
            next = side;
            fewest = with;
            nextIsConnected = isConnected;
        }
        order.push_back(*next);
        joined |= Sides{1} << *next;
        rows = fewest;
    }
    return order;
}

}  // namespace

std::vector<size_t> joinOrder(std::span<const double> rows, const std::vector<EqualColumns>& equalities) {
    const Estimates estimates(rows, equalities);
    return rows.size() <= kMaxSidesInAllOrders ? bestOfAll(estimates) : greedy(estimates);
}

}  // namespace pelorus
