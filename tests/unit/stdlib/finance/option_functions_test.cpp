// vanillaOption.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("what a method needs is asked for by name") {
    const Value day = Value::scalar(Type::Date, 10000), later = Value::scalar(Type::Date, 10365);
    std::vector<Value> call = {day,
                               later,
                               day,
                               Value::ofInt(36),
                               Value::ofInt(40),
                               Value::ofDouble(0.06),
                               Value::ofInt(0),
                               Value::ofDouble(0.2),
                               Value::ofBool(false),
                               text("european"),
                               Value::ofInt(3),
                               text("XNYS"),
                               text("heston")};
    CHECK(refusal("vanillaOption", call).find("kwargs must have the member") != std::string::npos);
    call[12] = text("BS");
    call[9] = text("american");
    CHECK(refusal("vanillaOption", call).find("FDBS") != std::string::npos);
    call[9] = text("european");
    call.resize(15);
    call[14] = Value::ofInt(2);
    CHECK(memberOf(called("vanillaOption", call), "npv").real() == Approx(3.844308).margin(1e-6));
    call[14] = Value::ofInt(0);
    call[1] = day;
    CHECK(called("vanillaOption", call).isNull());
}
