#include "common/foreign_words.h"

#include <catch2/catch.hpp>
#include <set>

using namespace pelorus;

TEST_CASE("a word of another language has its counterpart, in any letter case") {
    CHECK(foreignWordAdvice("elif") == "Write else if (condition) { … }.");
    CHECK(foreignWordAdvice("ELIF") == foreignWordAdvice("elif"));
    CHECK(foreignWordAdvice("True") == "Write true: names are case-sensitive.");
    CHECK(foreignWordAdvice("price").empty());
    CHECK(foreignWordAdvice("").empty());
    // Only whole words.
    CHECK(foreignWordAdvice("elifs").empty());
}

TEST_CASE("a function's advice comes before that of the word") {
    CHECK(foreignFunctionAdvice("which") == "Write at(x > 1): the places where a vector of booleans is true.");
    CHECK(foreignFunctionAdvice("xbar") == "Write bar(x, width).");
    CHECK(foreignFunctionAdvice("lambda") == foreignWordAdvice("lambda"));
    CHECK(foreignWordAdvice("xbar").empty());
    CHECK(foreignFunctionAdvice("mavg").empty());
}

TEST_CASE("types have advice of their own") {
    CHECK(foreignTypeAdvice("bigint") == "The type is LONG; long(x) converts.");
    CHECK(foreignTypeAdvice("VARCHAR") == foreignTypeAdvice("varchar"));
    CHECK(foreignTypeAdvice("INT").empty());
    CHECK(foreignWordAdvice("bigint").empty());
}

TEST_CASE("every function is listed once, and has an advice") {
    std::set<std::string_view> seen;
    for (const std::string_view name : foreignFunctions()) {
        INFO(name);
        CHECK(seen.insert(name).second);
        CHECK(foreignFunctionAdvice(name).size() > 5);
    }
    CHECK(seen.size() > 50);
}
