// parseMktData, extractMktData, curvePredict, optionVolPredict.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a curve is kept with its years, and read at dates and years") {
    const Value curve = calledWith("parseMktData", {flatCurve(0.02, {{"values", numbers({0.02, 0.06})}})});
    CHECK(elementsOf(memberOf(curve, "years"))[0] == Approx(1));
    CHECK(memberOf(curve, "curveModel").string() == "Bootstrap");
    CHECK(memberOf(calledWith("extractMktData", {curve}), "currency").string() == "CNY");
    CHECK(calledWith("curvePredict", {curve, day(20454)}).asDouble() == Approx(0.02));
    CHECK(elementsOf(calledWith("curvePredict", {curve, numbers({1, 3})}))[1] == Approx(0.04).margin(1e-4));
    CHECK(refusalWith("curvePredict", {curve, text("a")}).find("dt") != std::string::npos);
    CHECK(refusalWith("curvePredict", {dictionaryOf({{"a", text("b")}}), day(1)}).find("IrYieldCurve") !=
          std::string::npos);
}

TEST_CASE("prices and other curves are checked by their kinds") {
    const Members price = {{"mktDataType", text("Price")},
                           {"referenceDate", text("2025.08.18")},
                           {"priceType", text("FxSpotRate")},
                           {"value", Value::ofDouble(7.2)},
                           {"unit", text("USDCNY")}};
    CHECK(memberOf(calledWith("parseMktData", {dictionaryOf(price)}), "referenceDate").type() == Type::Date);
    CHECK(refusalWith("parseMktData", {dictionaryOf({{"mktDataType", text("Rumour")}, {"referenceDate", day(1)}})})
              .find("mktDataType") != std::string::npos);
    CHECK(refusalWith("parseMktData", {flatCurve(0.02, {{"curveType", text("Wave")}})}).find("curveType") !=
          std::string::npos);
    CHECK(refusalWith("parseMktData", {flatCurve(0.02, {{"dates", days({20454})}})}).find("values") !=
          std::string::npos);
}

TEST_CASE("volatilities of a surface are a matrix of times by strikes") {
    const Value surface = dictionaryOf(
        {{"mktDataType", text("Surface")},
         {"surfaceType", text("VolatilitySurface")},
         {"referenceDate", day(20089)},
         {"smileMethod", text("Linear")},
         {"termDates", days({20454})},
         {"volSmiles", tupleOf({dictionaryOf({{"strikes", numbers({6, 8})}, {"vols", numbers({0.1, 0.2})}})})}});
    const Value grid = calledWith("optionVolPredict", {surface, numbers({1, 2}), numbers({6, 7, 8})});
    CHECK(grid.matrix().rows == 2);
    CHECK(grid.matrix().columns == 3);
    CHECK(grid.matrix().cells->asDouble(3) == Approx(0.15));
    CHECK(refusalWith("optionVolPredict", {surface, numbers({1}), numbers({0})}).find("above 0") != std::string::npos);
}
