// fxForwardPricer, fxSwapPricer, fxEuropeanOptionPricer.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

static Value forward(const std::string& direction, const std::string& currency) {
    return dictionaryOf({{"forwardType", text("FxForward")},
                         {"delivery", day(20454)},
                         {"currencyPair", text("USD/CNY")},
                         {"direction", text(direction)},
                         {"notionalCurrency", text(currency)},
                         {"notionalAmount", Value::ofDouble(100)},
                         {"strike", Value::ofDouble(7)}});
}

TEST_CASE("forwards and swaps follow from both curves") {
    const Value spot = Value::ofDouble(7.2), today = day(20089), cny = flatCurve(0.01), usd = flatCurve(0.04);
    const double worth = 100 * (7.2 * std::exp(-0.04) - 7 * std::exp(-0.01));
    CHECK(calledWith("fxForwardPricer", {forward("Buy", "USD"), today, spot, cny, usd}).asDouble() == Approx(worth));
    CHECK(calledWith("fxForwardPricer", {forward("Sell", "USD"), today, spot, cny, usd}).asDouble() == Approx(-worth));
    CHECK(calledWith("fxForwardPricer", {forward("Buy", "CNY"), today, spot, cny, usd}).asDouble() ==
          Approx(worth / 7));
    CHECK(refusalWith("fxForwardPricer", {forward("Buy", "EUR"), today, spot, cny, usd}).find("notionalCurrency") !=
          std::string::npos);
    const Value swap = dictionaryOf({{"swapType", text("FxSwap")},
                                     {"currencyPair", text("USDCNY")},
                                     {"notionalCurrency", text("USD")},
                                     {"notionalAmount", Value::ofDouble(100)},
                                     {"nearStrike", Value::ofDouble(7.2)},
                                     {"nearDelivery", day(20089)},
                                     {"farStrike", Value::ofDouble(7)},
                                     {"farDelivery", day(20454)}});
    CHECK(calledWith("fxSwapPricer", {swap, today, spot, cny, usd}).asDouble() == Approx(-worth));
}

TEST_CASE("calls and puts differ by the forward, and sensitivities are derivatives") {
    const auto option = [](const std::string& payoff) {
        return dictionaryOf({{"assetType", text("FxEuropeanOption")},
                             {"underlying", text("USDCNY")},
                             {"notionalCurrency", text("USD")},
                             {"notionalAmount", Value::ofDouble(100)},
                             {"strike", Value::ofDouble(7)},
                             {"maturity", day(20454)},
                             {"dayCountConvention", text("Actual365")},
                             {"payoffType", text(payoff)}});
    };
    const Value surface = dictionaryOf(
        {{"mktDataType", text("Surface")},
         {"surfaceType", text("FxVolatilitySurface")},
         {"referenceDate", day(20089)},
         {"smileMethod", text("Linear")},
         {"termDates", days({20454})},
         {"volSmiles", tupleOf({dictionaryOf({{"strikes", numbers({6, 8})}, {"vols", numbers({0.1, 0.1})}})})}});
    const auto price = [&](const std::string& payoff, double spot, Value setting = {}) {
        return calledWith("fxEuropeanOptionPricer", {option(payoff), day(20089), Value::ofDouble(spot), flatCurve(0.01),
                                                     flatCurve(0.04), surface, setting});
    };
    const double call = price("Call", 7.2).asDouble(), put = price("Put", 7.2).asDouble();
    CHECK(call - put == Approx(100 * (7.2 * std::exp(-0.04) - 7 * std::exp(-0.01))));
    const Value all =
        price("Call", 7.2, dictionaryOf({{"calcDelta", Value::ofBool(true)}, {"calcGamma", Value::ofBool(true)}}));
    const double up = price("Call", 7.21).asDouble(), down = price("Call", 7.19).asDouble();
    CHECK(memberOf(all, "delta").asDouble() == Approx((up - down) / 0.02).epsilon(1e-3));
    CHECK(memberOf(all, "gamma").asDouble() == Approx((up - 2 * call + down) / 0.0001).epsilon(1e-2));
    CHECK(memberOf(all, "npv").asDouble() == Approx(call));
}
