// Distinct symbols stand in the order of their first rows, and rows find theirs.
#include "runtime/value/distinct_symbols.h"

#include <catch2/catch.hpp>
#include <string>
#include <unordered_set>
#include <vector>

using namespace pelorus;

namespace {

Ref<Vector> symbolsOf(int64_t rows, int64_t distinct) {
    std::vector<std::string> strings;
    for (int64_t i = 0; i < rows; ++i)
        strings.push_back(i % distinct == 3 ? "" : "symbol" + std::to_string(i * 7 % distinct));
    return Vector::ofStrings(strings, Type::Symbol);
}

}  // namespace

TEST_CASE("each row finds its symbol among the distinct ones, which stand in the order of their first rows") {
    for (const int64_t distinct : {1, 5, 100, 1000}) {
        const Ref<Vector> symbols = symbolsOf(10'000, distinct);
        const auto found = distinctSymbols(*symbols);
        REQUIRE(found);
        REQUIRE(std::ssize(found->positions) == symbols->size());
        int32_t met = 0;
        bool areRight = true;
        for (int64_t i = 0; i < symbols->size(); ++i) {
            const int32_t position = found->positions[static_cast<size_t>(i)];
            areRight &= position <= met && found->elements->string(position) == symbols->string(i);
            met += position == met ? 1 : 0;
        }
        CHECK(areRight);
        CHECK(met == found->elements->size());
        std::unordered_set<std::string_view> once;
        for (int64_t k = 0; k < found->elements->size(); ++k) CHECK(once.insert(found->elements->string(k)).second);
    }
}

TEST_CASE("few rows and many distinct symbols are left alone") {
    CHECK_FALSE(distinctSymbols(*symbolsOf(63, 1)));
    CHECK_FALSE(distinctSymbols(*symbolsOf(10'000, 5'000)));
    CHECK_FALSE(distinctSymbols(*Vector::make(Type::Symbol, 0)));
}
