// bondPricer, bondFuturesPricer, irDepositPricer.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a bond is worth its payments behind the day, discounted") {
    const Value curve = flatCurve(0.03), today = day(20089);
    double expected = 0;
    for (const int date : {20454, 20819, 21184, 21550})
        expected += (date == 21550 ? 104 : 4) * std::exp(-0.03 * (date - 20089) / 365.0);
    CHECK(calledWith("bondPricer", {bondOf(), today, curve}).asDouble() == Approx(expected));
    CHECK(calledWith("bondPricer", {bondOf({{"nominal", Value::ofDouble(1000)}}), today, curve}).asDouble() ==
          Approx(10 * expected));
    // The spread raises the rates.
    CHECK(calledWith("bondPricer", {bondOf(), today, flatCurve(0.02), flatCurve(0.01)}).asDouble() == Approx(expected));
    CHECK(elementsOf(calledWith("bondPricer", {tupleOf({bondOf(), bondOf()}), today, curve}))[1] == Approx(expected));
    // On the day of a coupon it is paid already.
    CHECK(calledWith("bondPricer", {bondOf(), day(21184), curve}).asDouble() ==
          Approx(104 * std::exp(-0.03 * 366 / 365.0)));
}

TEST_CASE("sensitivities of a bond are those of its discounting") {
    const Value setting = dictionaryOf({{"calcDiscountCurveDelta", Value::ofBool(true)},
                                        {"calcDiscountCurveGamma", Value::ofBool(true)},
                                        {"calcDiscountCurveKeyRateDuration", Value::ofBool(true)},
                                        {"discountCurveKeyTerms", numbers({1, 2, 4})},
                                        {"discountCurveKeyShifts", numbers({1e-4, 1e-4, 1e-4})}});
    const Value result = calledWith("bondPricer", {bondOf(), day(20089), flatCurve(0.03), Value(), setting});
    const double npv = memberOf(result, "npv").asDouble(), delta = memberOf(result, "discountCurveDelta").asDouble();
    CHECK(delta / npv == Approx(-3.77).margin(0.02));
    CHECK(memberOf(result, "discountCurveGamma").asDouble() / npv == Approx(14.9).margin(0.3));
    double sum = 0;
    for (const double duration : elementsOf(memberOf(result, "discountCurveKeyRateDuration"))) sum += duration;
    CHECK(sum == Approx(-delta / npv).epsilon(1e-4));
}

TEST_CASE("deposits and futures are worth what they pay") {
    const Value deposit = dictionaryOf({{"assetType", text("Deposit")},
                                        {"notionalAmount", Value::ofDouble(1000)},
                                        {"start", day(20000)},
                                        {"maturity", day(20454)},
                                        {"rate", Value::ofDouble(0.02)},
                                        {"dayCountConvention", text("Actual365")},
                                        {"payReceive", text("Pay")}});
    CHECK(calledWith("irDepositPricer", {deposit, day(20089), flatCurve(0.03)}).asDouble() ==
          Approx(-1000 * (1 + 0.02 * 454 / 365.0) * std::exp(-0.03)));
    CHECK(calledWith("irDepositPricer", {deposit, day(20454), flatCurve(0.03)}).asDouble() == 0);
    // A bond of the nominal rate has a factor near 1.
    const Value futures = dictionaryOf({{"futuresType", text("BondFutures")},
                                        {"settlement", day(20454)},
                                        {"underlying", bondOf()},
                                        {"nominalCouponRate", Value::ofDouble(0.04)}});
    CHECK(calledWith("bondFuturesPricer", {futures, day(20089), flatCurve(0.03)}).asDouble() ==
          Approx(102.7).margin(0.3));
}

TEST_CASE("pricers say what they were not given") {
    CHECK(refusalWith("bondPricer", {Value::ofInt(1), day(1), flatCurve(0.03)}).find("must be a dictionary") !=
          std::string::npos);
    CHECK(refusalWith("bondPricer", {bondOf(), Value::ofInt(1), flatCurve(0.03)}).find("DATE") != std::string::npos);
    CHECK(refusalWith("bondPricer", {tupleOf({bondOf(), bondOf()}), days({1, 2, 3}), flatCurve(0.03)})
              .find("differ in length") != std::string::npos);
    CHECK(refusalWith("irDepositPricer", {bondOf(), day(1), flatCurve(0.03)}).find("Deposit") != std::string::npos);
}
