// Curves of rates.
#include "stdlib/instruments/yield_curve.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/error.h"
#include "stdlib/named_results.h"

using namespace pelorus;

static Ref<Dictionary> described(const std::string& interpolation, const std::string& compounding) {
    auto d = orderedResult();
    addMember(*d, "mktDataType", Value::ofString("Curve"));
    addMember(*d, "curveType", Value::ofString("IrYieldCurve"));
    addMember(*d, "referenceDate", Value::scalar(Type::Date, 20000));
    addMember(*d, "dayCountConvention", Value::ofString("Actual365"));
    addMember(*d, "compounding", Value::ofString(compounding));
    addMember(*d, "interpMethod", Value::ofString(interpolation));
    addMember(*d, "extrapMethod", Value::ofString("Flat"));
    addMember(*d, "dates", Value::of(Vector::of(Type::Date, std::vector<int32_t>{20365, 20730, 21095})));
    addMember(*d, "values", realsOf({0.01, 0.03, 0.04}));
    return d;
}

TEST_CASE("rates are read between points and beyond them") {
    const YieldCurve curve(Value::of(described("Linear", "Continuous")), 0);
    CHECK(curve.rate(1) == Approx(0.01));
    CHECK(curve.rate(1.5) == Approx(0.02));
    CHECK(curve.rate(0.2) == Approx(0.01));
    CHECK(curve.rate(9) == Approx(0.04));
    CHECK(curve.discount(2) == Approx(std::exp(-0.06)));
    CHECK(curve.discount(-1) == 1);
    CHECK(curve.discountTo(20365) == Approx(std::exp(-0.01)));
    CHECK(curve.shifted([](double years) { return 0.001 * years; }).rate(2) == Approx(0.032));
    auto linear = described("Linear", "Continuous");
    addMember(*linear, "extrapMethod", Value::ofString("Linear"));
    CHECK(YieldCurve(Value::of(linear), 0).rate(4) == Approx(0.05));
    CHECK(YieldCurve(Value::of(linear), 0).rate(0.5) == Approx(0.0).margin(1e-9));
    for (const std::string method : {"CubicSpline", "CubicHermiteSpline"}) {
        const YieldCurve curved(Value::of(described(method, "Continuous")), 0);
        CHECK(curved.rate(2) == Approx(0.03));
        CHECK(curved.rate(2.5) > 0.033);
        CHECK(curved.rate(2.5) < 0.04);
    }
}

TEST_CASE("discounting goes by the compounding, and the settlement is the first day") {
    CHECK(YieldCurve(Value::of(described("Linear", "Simple")), 0).discount(2) == Approx(1 / 1.06));
    auto twice = described("Linear", "Compounded");
    CHECK(YieldCurve(Value::of(twice), 0).discount(2) == Approx(std::pow(1.03, -2)));
    addMember(*twice, "frequency", Value::ofString("Semiannual"));
    CHECK(YieldCurve(Value::of(twice), 0).discount(2) == Approx(std::pow(1.015, -4)));
    addMember(*twice, "settlement", Value::scalar(Type::Date, 20001));
    CHECK(YieldCurve(Value::of(twice), 0).yearsTo(20366) == Approx(1));
}

TEST_CASE("a curve by formula needs its parameters, and faults are told") {
    auto d = described("Linear", "Continuous");
    addMember(*d, "curveModel", Value::ofString("NS"));
    auto parameters = orderedResult();
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, double>>{{"beta0", 0.03}, {"beta1", -0.01}, {"beta2", 0}, {"lambda", 2}})
        addMember(*parameters, name, Value::ofDouble(value));
    addMember(*d, "curveParams", Value::of(parameters));
    CHECK(YieldCurve(Value::of(d), 0).rate(0) == Approx(0.02));
    CHECK(YieldCurve(Value::of(d), 0).rate(1000) == Approx(0.03).margin(1e-4));
    const auto refuses = [](std::string_view member, Value value) {
        auto bad = described("Linear", "Continuous");
        addMember(*bad, member, std::move(value));
        CHECK_THROWS_AS(YieldCurve(Value::of(bad), 0), UserError);
    };
    refuses("compounding", Value::ofString("Daily"));
    refuses("values", realsOf({1, 2}));
    refuses("dates", Value::of(Vector::of(Type::Date, std::vector<int32_t>{20365, 20365, 21095})));
    refuses("frequency", Value::ofInt(5));
    refuses("dayCountConvention", Value::ofString("Actual"));
    refuses("curveType", Value::ofString("DividendCurve"));
}
