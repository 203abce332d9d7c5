// What stands out.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a value that is far from all others stands out, and nothing else") {
    std::vector<double> data;
    for (int i = 0; i < 60; ++i) data.push_back(i % 5);
    CHECK(called("esd", {numbers(data)}).table().rowCount() == 0);
    data[30] = 60;
    CHECK(called("esd", {numbers(data)}).table().rowCount() == 1);
    CHECK(called("seasonalEsd", {numbers(data), Value::ofInt(5)}).table().rowCount() == 1);
    CHECK(refusal("stl", {numbers(data), Value::ofInt(40), text("periodic")}).find("period") != std::string::npos);
    CHECK(refusal("esd", {numbers(data), {}, Value::ofDouble(0.7)}).find("maxAnomalies") != std::string::npos);
}

TEST_CASE("windows that are wider than any vector are refused") {
    const Value data = numbers({1, 2, 1, 2, 1, 2, 1, 2}), widest = Value::ofLong(INT64_MAX);
    CHECK(refusal("stl", {data, Value::ofInt(2), widest}).find("2147483647") != std::string::npos);
    CHECK(refusal("stl", {data, Value::ofInt(2), text("periodic"), {}, {}, widest}).find("2147483647") !=
          std::string::npos);
}
