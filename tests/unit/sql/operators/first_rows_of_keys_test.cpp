// The first rows of keys are those that one look after another finds, in their order.
#include "sql/operators/first_rows_of_keys.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/value/vector.h"

using namespace pelorus;

TEST_CASE("the first row of each pair of an integer and a string is kept, whatever the pieces") {
    std::mt19937 random(3);
    for (const uint32_t different : {1u, 50u, 4'000u}) {
        INFO(different);
        std::vector<std::vector<Value>> pieces;
        std::vector<std::pair<int32_t, std::string>> expected;
        std::set<std::pair<int32_t, std::string>> known;
        for (const size_t rows : {0, 1, 700, 5'000, 3}) {
            std::vector<int32_t> numbers;
            std::vector<std::string> strings;
            for (size_t i = 0; i < rows; ++i) {
                numbers.push_back(static_cast<int32_t>(random() % different));
                strings.push_back(
                    random() % 4 == 0 ? "" : "a text of more than fifteen bytes " + std::to_string(random() % 3));
                if (known.emplace(numbers.back(), strings.back()).second)
                    expected.emplace_back(numbers.back(), strings.back());
            }
            pieces.push_back({Value::of(Vector::of(Type::Int, numbers)), Value::of(Vector::ofStrings(strings))});
        }
        const std::vector<Value> columns = firstRowsOfKeys({Type::Int, Type::String}, std::move(pieces));
        REQUIRE(columns.size() == 2);
        REQUIRE(columns[0].size() == std::ssize(expected));
        REQUIRE(columns[1].size() == std::ssize(expected));
        bool areEqual = true;
        for (size_t i = 0; i < expected.size(); ++i) {
            const auto at = static_cast<int64_t>(i);
            areEqual &= columns[0].vector().data<int32_t>()[i] == expected[i].first &&
                        columns[1].vector().string(at) == expected[i].second;
        }
        CHECK(areEqual);
    }
}
