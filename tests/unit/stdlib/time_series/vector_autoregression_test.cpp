// Vector autoregressions.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("series that follow from the step before are found out") {
    std::vector<double> a = {1}, b = {2};
    uint32_t state = 3;
    for (int i = 0; i < 300; ++i) {
        state = state * 1664525u + 1013904223u;
        const double e = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
        state = state * 1664525u + 1013904223u;
        const double f = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
        const double before = a.back();
        a.push_back(0.5 * before + 0.2 * b.back() + e);
        b.push_back(0.3 * before + f);
    }
    const Value names = Value::of(Vector::ofStrings({"a", "b"}));
    const Value model = called("vectorAR", {tableOf({"a", "b"}, {a, b}), names, {}, {}, Value::ofInt(1)});
    CHECK(memberOf(model, "params").matrix().cells->data<double>()[1] == Approx(0.5).margin(0.15));
    CHECK(memberOf(model, "kAr").integer() == 1);
    const std::vector<Value> twice = {tableOf({"a", "b"}, {a, a}), names, {}, {}, Value::ofInt(1)};
    CHECK(refusal("vectorAR", twice).find("follow from each other") != std::string::npos);
}
