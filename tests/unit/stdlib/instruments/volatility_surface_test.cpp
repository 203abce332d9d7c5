// Surfaces of volatilities.
#include "stdlib/instruments/volatility_surface.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "common/error.h"
#include "stdlib/named_results.h"

using namespace pelorus;

static Value smile(const std::vector<double>& strikes, const std::vector<double>& volatilities) {
    auto d = orderedResult();
    addMember(*d, "strikes", realsOf(strikes));
    addMember(*d, "vols", realsOf(volatilities));
    return Value::of(d);
}
static Value byFormula(const std::vector<std::pair<std::string, double>>& parameters, double forward) {
    auto d = orderedResult(), inner = orderedResult();
    for (const auto& [name, value] : parameters) addMember(*inner, name, Value::ofDouble(value));
    addMember(*d, "curveParams", Value::of(inner));
    addMember(*d, "fwd", Value::ofDouble(forward));
    return Value::of(d);
}
static Value surface(const std::string& method, std::vector<Value> smiles) {
    auto d = orderedResult();
    addMember(*d, "mktDataType", Value::ofString("Surface"));
    addMember(*d, "surfaceType", Value::ofString("FxVolatilitySurface"));
    addMember(*d, "referenceDate", Value::scalar(Type::Date, 20000));
    addMember(*d, "smileMethod", Value::ofString(method));
    std::vector<int32_t> dates;
    for (size_t i = 0; i < smiles.size(); ++i) dates.push_back(20000 + 365 * static_cast<int32_t>(i + 1));
    addMember(*d, "termDates", Value::of(Vector::of(Type::Date, dates)));
    addMember(*d, "volSmiles", Value::of(makeRef<Tuple>(std::move(smiles))));
    return Value::of(d);
}

TEST_CASE("volatilities lie between strikes, and variances between terms") {
    const VolatilitySurface s(surface("Linear", {smile({6, 8}, {0.1, 0.2}), smile({6, 8}, {0.3, 0.3})}), 0);
    CHECK(s.at(1, 7) == Approx(0.15));
    CHECK(s.at(0.5, 5) == Approx(0.1));
    CHECK(s.at(9, 7) == Approx(0.3));
    // 0.15² · 1 and 0.3² · 2: half way, at 1.5 years.
    CHECK(s.at(1.5, 7) == Approx(std::sqrt((0.0225 + 0.18) / 2 / 1.5)));
    const VolatilitySurface spline(surface("CubicSpline", {smile({6, 7, 8}, {0.1, 0.2, 0.3})}), 0);
    CHECK(spline.at(1, 6.5) == Approx(0.15));
}

TEST_CASE("smiles by formula have their level at the forward") {
    const VolatilitySurface svi(
        surface("SVI", {byFormula({{"a", 0.01}, {"b", 0.1}, {"rho", 0}, {"m", 0}, {"sigma", 0.3}}, 7)}), 0);
    CHECK(svi.at(1, 7) == Approx(0.2));
    CHECK(svi.at(1, 9) > 0.2);
    // With beta 1 and nu near 0 SABR is a flat alpha.
    const VolatilitySurface sabr(
        surface("SABR", {byFormula({{"alpha", 0.2}, {"beta", 1}, {"rho", 0}, {"nu", 1e-9}}, 7)}), 0);
    CHECK(sabr.at(1, 7) == Approx(0.2));
    CHECK(sabr.at(1, 8) == Approx(0.2));
}

TEST_CASE("a surface says what is wrong with it") {
    CHECK_THROWS_AS(VolatilitySurface(surface("Flat", {smile({1}, {0.1})}), 0), UserError);
    CHECK_THROWS_AS(VolatilitySurface(surface("Linear", {smile({2, 1}, {0.1, 0.1})}), 0), UserError);
    CHECK_THROWS_AS(VolatilitySurface(surface("Linear", {smile({1, 2}, {0.1})}), 0), UserError);
    CHECK_THROWS_AS(VolatilitySurface(surface("Linear", {}), 0), UserError);
    CHECK_THROWS_AS(VolatilitySurface(surface("SVI", {smile({1, 2}, {0.1, 0.1})}), 0), UserError);
    CHECK_THROWS_AS(VolatilitySurface(Value::ofInt(1), 0), UserError);
}
