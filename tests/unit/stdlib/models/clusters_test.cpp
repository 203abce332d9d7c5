// kmeans and gmm.
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("clusters gather what lies together, from given centers or a seed") {
    const Value x = numbers({0, 1, 8, 9});
    const Value model = called("kmeans", {x, Value::ofInt(2), {}, {}, matrixValue({0, 9}, 2, 1)});
    const Value labels = memberOf(model, "labels");
    CHECK(labels.vector().data<int32_t>()[0] == 1);
    CHECK(labels.vector().data<int32_t>()[3] == 2);
    const auto centers = [&] {
        const Value m = called("kmeans", {x, Value::ofInt(2), {}, Value::ofInt(4), text("k-means++")});
        return elementsOf(Value::of(memberOf(m, "centers").matrix().cells));
    };
    CHECK(centers() == centers());
    CHECK(refusal("kmeans", {x, Value::ofInt(5)}).find("k must be") != std::string::npos);
}

TEST_CASE("a mixture finds its two means") {
    const Value mixture =
        called("gmm", {numbers({0, 0.1, -0.1, 10, 10.1, 9.9}), Value::ofInt(2), {}, {}, {}, numbers({1, 9})});
    const std::vector<double> means = elementsOf(memberOf(mixture, "mean"));
    CHECK(means[0] == Approx(0).margin(1e-6));
    CHECK(means[1] == Approx(10).margin(1e-6));
}

TEST_CASE("each of more centers than a block has rows takes its own row") {
    std::vector<double> x(5000);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    const Value model = called("kmeans", {numbers(x), Value::ofInt(5000), Value::ofInt(2), Value::ofInt(1)});
    const Value labels = memberOf(model, "labels");
    std::vector<int32_t> sorted(labels.vector().data<int32_t>(), labels.vector().data<int32_t>() + labels.size());
    std::ranges::sort(sorted);
    CHECK(std::ranges::adjacent_find(sorted) == sorted.end());
}
