// Rows come group by group and in order, whatever the keys; and back to where they were.
#include "sql/keys/parted_rows.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "common/thread/thread_pool.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

Value strings(const std::vector<int>& numbers) {
    Ref<Vector> v = Vector::make(Type::String, static_cast<int64_t>(numbers.size()));
    for (size_t i = 0; i < numbers.size(); ++i) v->setString(static_cast<int64_t>(i), "s" + std::to_string(numbers[i]));
    return Value::of(v);
}

Value ints(const std::vector<int>& numbers) {
    return Value::of(Vector::of(Type::Int, numbers));
}

std::vector<int> drawn(size_t rows, unsigned different, std::mt19937& random) {
    std::vector<int> numbers(rows);
    for (int& number : numbers) number = static_cast<int>(random() % different) - static_cast<int>(different / 3);
    return numbers;
}

// Checks that groups have their rows, sorted by `order` and then by place.
void requireGroups(const PartedRows& cut, const std::vector<int>& keys, const std::vector<int>& order) {
    std::map<int, std::vector<int>> wanted;
    for (size_t i = 0; i < keys.size(); ++i) wanted[keys[i]].push_back(static_cast<int>(i));
    for (auto& [key, rows] : wanted) {
        if (order.empty()) continue;
        std::stable_sort(rows.begin(), rows.end(),
                         [&](int a, int b) { return order[static_cast<size_t>(a)] > order[static_cast<size_t>(b)]; });
    }
    const std::vector<int32_t> list = cut.list(), begin = cut.groupBegin();
    REQUIRE(begin.size() == wanted.size() + 1);
    std::set<int> met;
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        const std::vector<int> rows(list.begin() + begin[g], list.begin() + begin[g + 1]);
        const int key = keys[static_cast<size_t>(rows.at(0))];
        REQUIRE(met.insert(key).second);
        REQUIRE(rows == wanted[key]);
    }
}

}  // namespace

TEST_CASE("rows are cut into groups in order, from few and many rows and keys") {
    std::mt19937 random(7);
    for (const size_t rows : {size_t{0}, size_t{1}, size_t{500}, size_t{70000}}) {
        for (const unsigned different : {1u, 5u, 3000u, 1000000u}) {
            for (const bool isString : {false, true}) {
                for (const bool isSorted : {false, true}) {
                    INFO(rows << " rows of " << different << (isString ? " strings" : " numbers"));
                    std::vector<int> keys = drawn(rows, different, random);
                    if (isSorted) std::sort(keys.begin(), keys.end());
                    const std::vector<int> order = drawn(rows, 50, random);
                    const std::vector<Value> given = {isString ? strings(keys) : ints(keys)};
                    const auto count = static_cast<int64_t>(rows);
                    const std::vector<OrderKey> descending = {{ints(order), false}};
                    requireGroups(PartedRows(given, {}, count, PartedRows::GroupOrder::Any), keys, {});
                    requireGroups(PartedRows(given, descending, count, PartedRows::GroupOrder::Any), keys, order);
                    const PartedRows byKey(given, descending, count, PartedRows::GroupOrder::ByKey);
                    requireGroups(byKey, keys, order);
                    const Value ordered = byKey.inGroups(given[0]);
                    for (int64_t i = 1; i < count; ++i) {
                        if (isString) {
                            REQUIRE(ordered.vector().string(i - 1) <= ordered.vector().string(i));
                        } else {
                            REQUIRE(ordered.vector().data<int32_t>()[i - 1] <= ordered.vector().data<int32_t>()[i]);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("values of parts come back to the rows of the table, on one thread as on all") {
    std::mt19937 random(8);
    constexpr size_t kRows = 60000;
    const std::vector<int> keys = drawn(kRows, 9000, random), others = drawn(kRows, 3, random);
    const std::vector<Value> given = {ints(keys), strings(others)};
    const auto backAndForth = [&] {
        const PartedRows cut(given, {}, kRows, PartedRows::GroupOrder::Any);
        const Value column = cut.cut(given[0]), text = cut.cut(given[1]);
        std::vector<Value> parts, texts;
        for (size_t p = 0; p < cut.partCount(); ++p) {
            parts.push_back(cut.inGroups(p, column));
            texts.push_back(cut.inGroups(p, text));
        }
        CHECK(cut.partCount() > 8);
        CHECK_FALSE(PartedRows::areMovable(texts));
        REQUIRE(PartedRows::areMovable(parts));
        const Value back = cut.inTable(parts);
        const std::vector<int32_t> numbers(back.vector().data<int32_t>(), back.vector().data<int32_t>() + kRows);
        CHECK(numbers == keys);
        const std::vector<int32_t> places = cut.places(), list = cut.list();
        for (size_t i = 0; i < kRows; ++i) REQUIRE(list[static_cast<size_t>(places[i])] == static_cast<int32_t>(i));
        return list;
    };
    const std::vector<int32_t> parallel = backAndForth();
    const SerialWork alone;
    CHECK(backAndForth() == parallel);
}

TEST_CASE("rows that lie group by group are not moved") {
    constexpr int64_t kRows = 50000;
    std::vector<int> keys(kRows);
    std::iota(keys.begin(), keys.end(), 0);
    for (int& key : keys) key /= 3;
    const std::vector<Value> given = {ints(keys)};
    const PartedRows cut(given, {}, kRows, PartedRows::GroupOrder::ByKey);
    CHECK(cut.isInPlace());
    CHECK(cut.partCount() > 8);
    CHECK(cut.inGroups(given[0]).vector().raw() == given[0].vector().raw());
}
