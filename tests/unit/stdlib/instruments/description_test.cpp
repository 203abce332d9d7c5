// Members of descriptions.
#include "stdlib/instruments/description.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "stdlib/named_results.h"

using namespace pelorus;

TEST_CASE("members are read by their types, and dates from strings") {
    auto description = orderedResult();
    addMember(*description, "name", Value::ofString("x"));
    addMember(*description, "count", Value::ofInt(3));
    addMember(*description, "day", Value::ofString("2025.08.18"));
    addMember(*description, "days", Value::of(Vector::ofStrings({"2025.08.18", "2026.01.01"})));
    addMember(*description, "rates", Value::of(Vector::of(Type::Double, std::vector<double>{1, 2})));
    addMember(*description, "nothing", Value::nullOf(Type::Double));
    const Description d(Value::of(description), 2, "The thing");
    CHECK(d.text("name") == "x");
    CHECK(d.text("other", "y") == "y");
    CHECK(d.number("count") == 3);
    CHECK(d.number("nothing", 7) == 7);
    CHECK_FALSE(d.has("nothing"));
    CHECK(d.flag("flag", true));
    CHECK(d.date("day") == 20318);
    CHECK(d.dates("days")[1] == 20454);
    CHECK(d.numbers("rates") == std::vector<double>{1, 2});
    const auto refusal = [](auto read) -> std::string {
        try {
            read();
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(refusal([&] { (void)d.number("name"); }).find("The thing: name must be a number") != std::string::npos);
    CHECK(refusal([&] { (void)d.text("other"); }).find("The thing lacks other") != std::string::npos);
    CHECK(refusal([&] { (void)d.date("name"); }).find("a DATE") != std::string::npos);
    CHECK(refusal([&] { (void)d.numbers("count"); }).find("a vector of numbers") != std::string::npos);
    CHECK(refusal([] { Description(Value::ofInt(1), 0, "The thing"); }).find("must be a dictionary") !=
          std::string::npos);
}
