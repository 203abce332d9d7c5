// parseInstrument, extractInstrument and the readers of members.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/instruments/descriptions.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("an instrument has the members of its kind, with defaults, and further ones") {
    const Value bond = calledWith("parseInstrument", {bondOf({{"issuer", text("City")}})});
    CHECK(memberOf(bond, "nominal").asDouble() == 100);
    CHECK(memberOf(bond, "currency").string() == "CNY");
    CHECK(memberOf(bond, "version").asLong() == 1);
    CHECK(memberOf(bond, "issuer").string() == "City");
    CHECK(memberOf(bond, "subType").string().empty());
    CHECK(memberOf(calledWith("extractInstrument", {bond}), "coupon").asDouble() == 0.04);
    CHECK(calledWith("getInstrumentCoupon", {bond}).asDouble() == 0.04);
    CHECK(calledWith("getInstrumentField", {bond, text("issuer")}).string() == "City");
    CHECK(calledWith("getInstrumentField", {bond, text("none"), Value::ofInt(3)}).asLong() == 3);
    CHECK(calledWith("getInstrumentKeys", {bond}).size() >= 15);
}

TEST_CASE("several instruments are read as vectors, and tables row by row") {
    const Value both =
        calledWith("parseInstrument", {tupleOf({bondOf(), bondOf({{"coupon", Value::ofDouble(0.05)}})})});
    CHECK(elementsOf(calledWith("getInstrumentCoupon", {both})) == std::vector<double>{0.04, 0.05});
    const Value json = text(
        R"({"productType": "Cash", "assetType": "Bond", "bondType": "DiscountBond", "start": "2025.01.01", "maturity": "2025.07.01", "issuePrice": 99.5, "dayCountConvention": "Actual365"})");
    CHECK(calledWith("getInstrumentIssuePrice", {calledWith("parseInstrument", {json})}).asDouble() == 99.5);
}

TEST_CASE("notional is a tuple of currency and amount, and two members") {
    const Value deposit =
        calledWith("parseInstrument", {dictionaryOf({{"productType", text("Cash")},
                                                     {"assetType", text("Deposit")},
                                                     {"notional", tupleOf({text("CNY"), Value::ofDouble(5)})},
                                                     {"start", day(20000)},
                                                     {"maturity", day(20100)},
                                                     {"rate", Value::ofDouble(0.02)},
                                                     {"dayCountConvention", text("Actual360")},
                                                     {"payReceive", text("Pay")}})});
    CHECK(memberOf(deposit, "notionalAmount").asDouble() == 5);
    CHECK(calledWith("getInstrumentNotional", {deposit}).tuple().elements[0].string() == "CNY");
}

TEST_CASE("a description says what is wrong with it") {
    const auto refused = [](Members more) { return refusalWith("parseInstrument", {bondOf(std::move(more))}); };
    CHECK(refused({{"bondType", text("Perpetual")}}).find("no known kind") != std::string::npos);
    CHECK(refused({{"maturity", day(20089)}}).find("maturity must be after start") != std::string::npos);
    CHECK(refused({{"coupon", text("a")}}).find("coupon must be a number") != std::string::npos);
    CHECK(refused({{"coupon", Value()}}).find("lacks coupon") != std::string::npos);
    CHECK(refused({{"dayCountConvention", text("Actual")}}).find("day count") != std::string::npos);
    CHECK(refused({{"start", text("soon")}}).find("DATE") != std::string::npos);
    CHECK(refusalWith("parseInstrument", {Value::ofInt(1)}).find("must be a dictionary") != std::string::npos);
    Value nested = bondOf();
    for (int i = 0; i < 20; ++i) nested = bondOf({{"underlying", nested}});
    CHECK(refusalWith("parseInstrument", {nested}).find("within each other") != std::string::npos);
    CHECK(refusalWith("parseInstrument", {text("[1]")}).find("object of JSON") != std::string::npos);
}
