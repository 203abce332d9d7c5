// Values as bytes, and digests of bytes.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("what was packed is unpacked, in both orders of bytes and aligned") {
    for (const char* format : {"<hIqd", ">hIqd", "@hIqd"}) {
        const Value bytes = calledWith(
            "pack", {text(format), Value::ofInt(-2), Value::ofLong(7), Value::ofLong(1), Value::ofDouble(0.5)});
        const Value back = called("unpack", {text(format), bytes});
        CHECK(back.at(0).integer() == -2);
        CHECK(back.at(1).integer() == 7);
        CHECK(back.at(3).real() == 0.5);
    }
    CHECK(calledWith("pack", {text("@bi"), Value::ofInt(1), Value::ofInt(1)}).string().size() == 8);
}

TEST_CASE("what does not fit its letter is refused") {
    CHECK(refusalWith("pack", {text("b"), Value::ofInt(200)}).find("from -128 to 127") != std::string::npos);
    CHECK(refusalWith("pack", {text("y"), Value::ofInt(2)}).find("no letter") != std::string::npos);
    CHECK(refusal("unpack", {text("i"), text("abc")}).find("4 bytes") != std::string::npos);
}

TEST_CASE("checksums go on where the part before ended") {
    const auto sum = [](std::vector<int32_t> part, Value before) {
        return called("objectChecksum", {Value::of(Vector::of(Type::Int, part)), before}).integer();
    };
    const int64_t first = sum({1, 2, 3, 4, 5}, {});
    CHECK(sum({1, 2, 3, 4, 5, 6}, {}) == sum({6}, Value::ofInt(static_cast<int32_t>(first))));
}
