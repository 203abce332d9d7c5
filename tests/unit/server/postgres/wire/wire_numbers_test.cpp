#include "server/postgres/wire/wire_numbers.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

template <class Work>
std::string stateOf(Work work) {
    try {
        work();
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

std::string float8(double x, int digits = 1) {
    std::string out;
    appendFloat8(out, x, digits);
    return out;
}

std::string decimal(std::string_view text) {
    std::string out;
    appendDecimal(out, parseDecimal(text));
    return out;
}

}  // namespace

TEST_CASE("floating-point numbers have the shortest text, with an exponent where PostgreSQL has one") {
    CHECK(float8(0.1) == "0.1");
    CHECK(float8(100) == "100");
    CHECK(float8(123456789012345) == "123456789012345");
    CHECK(float8(1e15) == "1e+15");
    CHECK(float8(0.0001) == "0.0001");
    CHECK(float8(0.00001) == "1e-05");
    CHECK(float8(-0.0) == "-0");
    CHECK(float8(1.0 / 3, 0) == "0.333333333333333");
    CHECK(float8(NAN) == "NaN");
    CHECK(float8(-std::numeric_limits<double>::infinity()) == "-Infinity");
    std::string out;
    appendFloat4(out, 0.1F, 1);
    out += ' ';
    appendFloat4(out, 1e6F, 1);
    CHECK(out == "0.1 1e+06");
}

TEST_CASE("decimals keep their scale") {
    CHECK(decimal("1.50") == "1.50");
    CHECK(decimal(" -0.001 ") == "-0.001");
    CHECK(decimal("12e3") == "12000");
    CHECK(decimal("1.5e-3") == "0.0015");
    CHECK(decimal("0") == "0");
    CHECK(stateOf([] { parseDecimal("1.2.3"); }) == "22P02");
    CHECK(stateOf([] { parseDecimal(""); }) == "22P02");
    CHECK(stateOf([] { parseDecimal("1e99999999999"); }) == "22003");
    CHECK(stateOf([] { parseDecimal(std::string(40, '9')); }) == "22003");
    CHECK(stateOf([] { parseDecimal("1e-50"); }) == "22003");
}

TEST_CASE("the binary form of a numeric is that of its text") {
    for (const char* text : {"0", "0.00", "1", "-1", "10000", "12345678.90", "0.0001", "0.00010",
                             "-99999999999999999999.99999", "100000000000000000000000000000000000"}) {
        std::string bytes, out;
        appendBinaryNumeric(bytes, text);
        appendDecimal(out, parseBinaryNumeric(bytes));
        CHECK(out == text);
    }
    CHECK(stateOf([] { parseBinaryNumeric(std::string(8, '\xff')); }) == "22P03");
    CHECK(stateOf([] { parseBinaryNumeric(std::string_view("\0\1\0\0\0\0\0\0\x7f\xff", 10)); }) == "22P03");
    CHECK(stateOf([] { parseBinaryNumeric(std::string_view("\0\0\0\0\xc0\0\0\0", 8)); }) == "22003");
}

TEST_CASE("integers and truth values are read with blanks around them") {
    CHECK(parseInteger(" +42 ", 0, 100, "integer") == 42);
    CHECK(stateOf([] { parseInteger("4 2", 0, 100, "integer"); }) == "22P02");
    CHECK(stateOf([] { parseInteger("101", 0, 100, "integer"); }) == "22003");
    CHECK(stateOf([] { parseInteger("99999999999999999999", 0, 100, "integer"); }) == "22003");
    CHECK(stateOf([] { parseInteger("99999999999999999999x", 0, 100, "integer"); }) == "22P02");
    CHECK(parseBool("T"));
    CHECK_FALSE(parseBool("off"));
    CHECK(stateOf([] { parseBool("o"); }) == "22P02");
    CHECK(stateOf([] { parseFloat8("1e999", "double precision"); }) == "22003");
}
