// Joins begin where there are few rows, and follow the equalities.
#include "sql/plan/join_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace pelorus;

namespace {

// A chain of sides 0 - 1 - 2 …, each with a key to the next.
std::vector<EqualColumns> chain(const std::vector<double>& distinct) {
    std::vector<EqualColumns> result;
    for (size_t i = 0; i < distinct.size(); ++i) result.push_back({{i, i + 1}, {distinct[i], distinct[i]}});
    return result;
}

size_t placeOf(const std::vector<size_t>& order, size_t side) {
    return static_cast<size_t>(std::find(order.begin(), order.end(), side) - order.begin());
}

}  // namespace

TEST_CASE("a side that leaves few rows is joined before one that multiplies them") {
    // Side 1 matches side 0 in a thousandth of its rows, side 2 in ten rows each.
    const std::vector<double> rows{1000, 10, 10000};
    const std::vector<EqualColumns> equalities{{{0, 1}, {1000, 10}}, {{0, 2}, {1000, 1000}}};
    const std::vector<size_t> order = joinOrder(rows, equalities);
    CHECK(placeOf(order, 1) < placeOf(order, 2));
}

TEST_CASE("a side that nothing connects comes last") {
    const std::vector<double> rows{100, 5, 100};
    const std::vector<size_t> order = joinOrder(rows, {{{0, 2}, {100, 100}}});
    CHECK(order.back() == 1);
}

TEST_CASE("many sides are ordered, too, each once, and connected ones first") {
    const std::vector<double> rows(14, 50);
    std::vector<EqualColumns> equalities = chain(std::vector<double>(12, 50));  // side 13 is alone
    const std::vector<size_t> order = joinOrder(rows, equalities);
    std::vector<size_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) CHECK(sorted[i] == i);
    CHECK(order.back() == 13);
}

TEST_CASE("empty sides and a single one have an order") {
    CHECK(joinOrder(std::vector<double>{0}, {}) == std::vector<size_t>{0});
    CHECK(joinOrder(std::vector<double>{0, 0}, {{{0, 1}, {1, 1}}}).size() == 2);
}
