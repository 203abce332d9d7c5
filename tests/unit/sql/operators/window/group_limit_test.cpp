// The first rows of each group, found among few candidates or by sorting all.
#include "sql/operators/window/group_limit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>

#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

constexpr int64_t kRows = 100'000;

// Groups as small numbers and as wide ones, and a value by which they are ordered.
struct Rows {
    Value small, wide, value;
    std::vector<int32_t> groups;
    std::vector<double> reals;

    explicit Rows(uint32_t seed, int32_t groupCount) {
        std::mt19937 random(seed);
        Ref<Vector> group = Vector::make(Type::Int, kRows), big = Vector::make(Type::Long, kRows),
                    real = Vector::make(Type::Double, kRows);
        for (int64_t i = 0; i < kRows; ++i) {
            groups.push_back(static_cast<int32_t>(random() % static_cast<uint32_t>(groupCount)));
            reals.push_back(static_cast<double>(random() % 1'000'000));
            group->mutableData<int32_t>()[i] = groups.back() - 7;
            big->mutableData<int64_t>()[i] = groups.back() * int64_t{1'000'000'007};
            real->mutableData<double>()[i] = reals.back();
        }
        small = Value::of(group);
        wide = Value::of(big);
        value = Value::of(real);
    }
    std::optional<std::vector<int32_t>> candidates(const Value& key, bool ascending, int64_t count) const {
        return candidatesWithinLimit(std::vector{key}, std::vector<OrderKey>{{value, ascending}}, kRows, count);
    }
    // Returns the rows by looking at all of them.
    std::vector<int32_t> firsts(bool ascending, int64_t count) const {
        std::map<int32_t, std::vector<int32_t>> rows;
        for (size_t i = 0; i < groups.size(); ++i) rows[groups[i]].push_back(static_cast<int32_t>(i));
        std::vector<int32_t> all;
        for (auto& [group, own] : rows) {
            std::stable_sort(own.begin(), own.end(), [&](int32_t a, int32_t b) {
                const double x = reals[static_cast<size_t>(a)], y = reals[static_cast<size_t>(b)];
                return ascending ? x < y : x > y;
            });
            const auto most = std::min(own.size(), static_cast<size_t>(std::abs(count)));
            const auto end = static_cast<std::ptrdiff_t>(most);
            all.insert(all.end(), count > 0 ? own.begin() : own.end() - end, count > 0 ? own.begin() + end : own.end());
        }
        return all;
    }
};

}  // namespace

TEST_CASE("a limit keeps the first or last rows of each group, groups and rows in order") {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        Rows rows(seed, seed % 2 ? 10 : 30'000);
        for (const Value& key : {rows.small, rows.wide}) {
            for (const int64_t count : {1, 3, -1, -8}) {
                for (const bool ascending : {true, false}) {
                    const std::vector<OrderKey> order = {{rows.value, ascending}};
                    CHECK(rowsWithinLimit(std::vector{key}, order, kRows, count) == rows.firsts(ascending, count));
                }
            }
        }
        CHECK(rowsWithinLimit(std::vector{rows.small}, {}, kRows, 0).empty());
        CHECK(rowsWithinLimit(std::vector{rows.small}, {}, kRows, kRows).size() == kRows);
    }
}

TEST_CASE("the first and last rows of each group are among few candidates, in the order of the rows") {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        Rows rows(seed, seed % 2 ? 10 : 400);
        for (const Value& by : {rows.small, rows.wide}) {
            for (const int64_t count : {1, 3, 8, -1, -3, -8}) {
                for (const bool ascending : {true, false}) {
                    const auto found = rows.candidates(by, ascending, count);
                    REQUIRE(found);
                    CHECK(std::is_sorted(found->begin(), found->end()));
                    std::vector<int32_t> wanted = rows.firsts(ascending, count);
                    std::sort(wanted.begin(), wanted.end());
                    CHECK(std::includes(found->begin(), found->end(), wanted.begin(), wanted.end()));
                    CHECK(found->size() < 2 * wanted.size() + 10);
                }
            }
        }
    }
}

TEST_CASE("nothing is looked for where most rows would be candidates") {
    Rows many(1, 60'000), few(2, 10);
    CHECK(!many.candidates(many.small, true, 3));
    CHECK(!many.candidates(many.wide, true, 3));
    CHECK(!few.candidates(few.small, true, 0));
    CHECK(!few.candidates(few.small, true, kRows));
    // Each row is better than all before it, or the equal of all.
    Ref<Vector> rising = Vector::make(Type::Long, kRows);
    for (int64_t i = 0; i < kRows; ++i) rising->mutableData<int64_t>()[i] = i;
    const Value nulls = Value::of(Vector::filled(Type::Double, kRows, Value::nullOf(Type::Double)));
    const auto isFound = [&](const std::vector<OrderKey>& order) {
        return candidatesWithinLimit(std::vector{few.small}, order, kRows, 2).has_value();
    };
    CHECK(!isFound({{Value::of(rising), false}}));
    CHECK(!isFound({{nulls, true}, {Value::of(rising)}}));
    // Strings have no order-preserving words.
    CHECK(!isFound({{Value::of(Vector::filled(Type::String, kRows, Value::ofString("a"))), true}}));
}
