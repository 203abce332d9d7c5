#include "storage/lock/waits_for.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pelorus;

namespace {

using Edges = std::map<uint64_t, std::vector<uint64_t>>;

std::vector<uint64_t> circle(const Edges& edges, uint64_t start) {
    return circleThrough(start, [&](uint64_t node) {
        const auto found = edges.find(node);
        return found == edges.end() ? std::vector<uint64_t>() : found->second;
    });
}

}  // namespace

TEST_CASE("a circle of those that wait is found from each of its members, and from no other") {
    const Edges edges = {{1, {2}}, {2, {3, 4}}, {4, {1}}, {5, {1}}, {3, {}}};
    CHECK(circle(edges, 1) == std::vector<uint64_t>{1, 2, 4});
    CHECK(circle(edges, 4) == std::vector<uint64_t>{4, 1, 2});
    CHECK(circle(edges, 5).empty());
    CHECK(circle(edges, 3).empty());
    CHECK(circle({{7, {7}}}, 7) == std::vector<uint64_t>{7});
}

TEST_CASE("a chain of many that wait is followed without recursion") {
    Edges edges;
    for (uint64_t i = 0; i < 100'000; ++i) edges[i] = {i + 1};
    CHECK(circle(edges, 0).empty());
    edges[100'000] = {0};
    CHECK(circle(edges, 0).size() == 100'001);
}
