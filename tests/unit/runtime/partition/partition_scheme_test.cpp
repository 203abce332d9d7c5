#include "runtime/partition/partition_scheme.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/vector.h"

using namespace pelorus;

static Value ints(const std::vector<int32_t>& elements, Type type = Type::Int) {
    return Value::of(Vector::of<int32_t>(type, elements));
}
static Value strings(const std::vector<std::string>& elements, Type type = Type::String) {
    return Value::of(Vector::ofStrings(elements, type));
}
static std::vector<int32_t> placed(const PartitionLevel& level, const Value& column) {
    std::vector<int32_t> partitions(static_cast<size_t>(column.size()));
    level.place(column.vector(), partitions.data());
    return partitions;
}

TEST_CASE("VALUE takes listed values only, from an integer column of any width") {
    const PartitionLevel level(PartitionKind::Value, ints({5, 1, 3}));
    REQUIRE(level.count() == 3);
    REQUIRE(placed(level, ints({1, 3, 5, 4, null<int32_t>})) == std::vector<int32_t>{1, 2, 0, -1, -1});
    const Value longs = Value::of(Vector::of<int64_t>(Type::Long, {3, int64_t{3} << 40}));
    REQUIRE(placed(level, longs) == std::vector<int32_t>{2, -1});
    REQUIRE(level.label(2) == "3");
}

TEST_CASE("RANGE takes the lower boundary and not the upper one") {
    const PartitionLevel level(PartitionKind::Range, ints({0, 50, 100}));
    REQUIRE(placed(level, ints({-1, 0, 49, 50, 99, 100})) == std::vector<int32_t>{-1, 0, 0, 1, 1, -1});
    REQUIRE(level.label(1) == "50_100");
    const PartitionLevel names(PartitionKind::Range, strings({"A", "D", "ZZZZ"}, Type::Symbol));
    REQUIRE(placed(names, strings({"AAPL", "D", "", "IBM"}, Type::Symbol)) == std::vector<int32_t>{0, 1, -1, 1});
    REQUIRE(placed(names, strings({"C", "a"})) == std::vector<int32_t>{0, -1});
    REQUIRE_THROWS_AS(PartitionLevel(PartitionKind::Range, ints({3, 2})), UserError);
}

TEST_CASE("LIST takes every listed value of a partition") {
    const Value lists =
        Value::of(makeRef<Tuple>(std::vector<Value>{strings({"IBM", "MSFT"}), Value::ofString("GOOG")}));
    const PartitionLevel level(PartitionKind::List, lists);
    REQUIRE(placed(level, strings({"GOOG", "MSFT", "X"})) == std::vector<int32_t>{1, 0, -1});
    REQUIRE(level.label(1) == "List1");
}

TEST_CASE("HASH gives the buckets that clients compute") {
    const PartitionLevel level(PartitionKind::Hash, ints({static_cast<int>(Type::String), 1000}));
    REQUIRE(placed(level, strings({"a", "ab", "abc", "abcd", "hello world"})) ==
            std::vector<int32_t>{694, 395, 635, 889, 881});
    REQUIRE(placed(level, strings({"abc", ""}, Type::Symbol)) == std::vector<int32_t>{635, -1});
    const PartitionLevel seven(PartitionKind::Hash, ints({static_cast<int>(Type::Int), 7}));
    REQUIRE(placed(seven, ints({-1, 8, null<int32_t>})) == std::vector<int32_t>{1, 1, -1});
    REQUIRE(seven.label(3) == "Key3");
}

TEST_CASE("a temporal column finer than the scheme is placed by the scheme's unit") {
    const PartitionLevel months(PartitionKind::Value, ints({2024 * 12 + 2}, Type::Month));     // 2024.03M
    REQUIRE(placed(months, ints({19797, 19816}, Type::Date)) == std::vector<int32_t>{0, -1});  // 2024.03.15, 2024.04.03
    REQUIRE(months.label(0) == "202403");
    const PartitionLevel days(PartitionKind::Value, ints({0, 1}, Type::Date));
    const Value stamps = Value::of(Vector::of<int64_t>(Type::Timestamp, {86400000, 86399999, -1}));
    REQUIRE(placed(days, stamps) == std::vector<int32_t>{1, 0, -1});
    REQUIRE_THROWS_AS(placed(days, ints({5}, Type::Month)), UserError);
    REQUIRE_THROWS_AS(placed(days, ints({5})), UserError);
}

TEST_CASE("keys of LONG may be the least and the largest there are") {
    constexpr int64_t largest = INT64_MAX, least = -INT64_MAX;
    const Value keys = Value::of(Vector::of<int64_t>(Type::Long, {largest, 0, least}));
    const PartitionLevel values(PartitionKind::Value, keys);
    REQUIRE(placed(values, keys) == std::vector<int32_t>{0, 1, 2});
    REQUIRE(values.partitionsBetween(Value::ofLong(least), Value::ofLong(0)) == std::optional(std::vector<int>{1, 2}));
    const PartitionLevel ranges(PartitionKind::Range, Value::of(Vector::of<int64_t>(Type::Long, {least, 0, largest})));
    REQUIRE(placed(ranges, keys) == std::vector<int32_t>{-1, 1, 0});
    REQUIRE(ranges.label(0) == "-9223372036854775807_0");
}

TEST_CASE("types that cannot partition are refused by name") {
    const Value doubles = Value::of(Vector::of<double>(Type::Double, {1, 2}));
    REQUIRE_THROWS_WITH(PartitionLevel(PartitionKind::Value, doubles),
                        Catch::Contains("The data type DOUBLE can't be used for a partition column"));
    REQUIRE_THROWS_WITH(PartitionLevel(PartitionKind::Value, strings({"a b"})), Catch::Contains("S01018"));
}

TEST_CASE("pruning keeps every partition that may hold a key within the bounds") {
    const auto only = [](std::vector<int> partitions) { return std::optional(std::move(partitions)); };
    const PartitionLevel level(PartitionKind::Range, ints({0, 50, 100}));
    REQUIRE(level.partitionsBetween(Value::ofInt(49), Value::ofInt(60)) == only({0, 1}));
    REQUIRE(level.partitionsBetween(Value::ofInt(50), Value::ofInt(60)) == only({1}));
    REQUIRE(level.partitionsBetween(Value(), Value::ofInt(50)) == only({0, 1}));
    REQUIRE(level.partitionsBetween(Value(), Value::ofInt(49)) == only({0}));
    REQUIRE(level.partitionsBetween(Value(), Value::ofInt(-1)) == only({}));
    REQUIRE(level.partitionsBetween(Value::ofDouble(99), Value()) == only({1}));
    REQUIRE(level.partitionsBetween(Value::ofDouble(99.5), Value()) == only({}));
    const PartitionLevel hash(PartitionKind::Hash, ints({static_cast<int>(Type::Int), 7}));
    REQUIRE(hash.partitionsBetween(Value::ofInt(8), Value::ofInt(8)) == only({1}));
    REQUIRE(hash.partitionsBetween(Value::ofInt(8), Value::ofInt(9)) == std::nullopt);
    const PartitionLevel names(PartitionKind::Value, strings({"B", "A", "D"}));
    REQUIRE(names.partitionsBetween(Value::ofString("A"), Value::ofString("A", Type::Symbol)) == only({1}));
    REQUIRE(names.partitionsBetween(Value::ofString("B"), Value::ofString("C")) == only({0}));
    REQUIRE(names.partitionsBetween(Value::ofString("B"), Value()) == only({0, 2}));
    const PartitionLevel lists(PartitionKind::List,
                               Value::of(makeRef<Tuple>(std::vector<Value>{ints({1, 9}), ints({5}), ints({2, 8})})));
    REQUIRE(lists.partitionsBetween(Value::ofInt(2), Value::ofInt(5)) == only({1, 2}));
    REQUIRE(lists.partitionsBetween(Value::ofInt(9), Value::ofInt(9)) == only({0}));
}

TEST_CASE("several levels number their product and name it as a path") {
    const PartitionScheme scheme({PartitionLevel(PartitionKind::Value, ints({0, 1}, Type::Date)),
                                  PartitionLevel(PartitionKind::Range, ints({0, 50, 100}))});
    const Value dates = ints({1, 0, 9}, Type::Date), ids = ints({50, 10, 10});
    std::vector<int64_t> partitions(3);
    scheme.place({&dates.vector(), &ids.vector()}, partitions.data());
    REQUIRE(partitions == std::vector<int64_t>{3, 0, -1});
    REQUIRE(scheme.unflatten(3) == std::vector<int>{1, 1});
    REQUIRE(scheme.path({1, 1}) == "/19700102/50_100");
    REQUIRE(scheme.flatten({1, 1}) == 3);
}

TEST_CASE("an extended scheme keeps the numbers of its partitions") {
    PartitionLevel level(PartitionKind::Value, ints({5, 1}));
    level.extend(ints({1, 9}));
    REQUIRE(placed(level, ints({5, 1, 9})) == std::vector<int32_t>{0, 1, 2});
    PartitionLevel range(PartitionKind::Range, ints({0, 50}));
    range.extend(ints({50, 100}));
    REQUIRE(placed(range, ints({0, 99})) == std::vector<int32_t>{0, 1});
    REQUIRE_THROWS_AS(range.extend(ints({20})), UserError);
}

TEST_CASE("Thousands of rows are placed as each of them alone, in order or not") {
    const std::vector<PartitionLevel> levels = {
        PartitionLevel(PartitionKind::Value, ints({10, 11, 12, 14}, Type::Date)),
        PartitionLevel(PartitionKind::Range, ints({10, 12, 13, 14}, Type::Date)),
        PartitionLevel(PartitionKind::List, Value::of(makeRef<Tuple>(std::vector<Value>{ints({10, 14}, Type::Date),
                                                                                        ints({11, 12}, Type::Date)})))};
    constexpr int64_t kDay = 86'400'000;
    std::vector<int64_t> times;
    for (int64_t i = 0; i < 9'000; ++i) times.push_back(9 * kDay + i * (6 * kDay / 9'000));
    for (const int64_t late : {100, 2'000, 4'444}) times[static_cast<size_t>(late)] = 14 * kDay;
    times[5'000] = null<int64_t>;
    std::vector<int64_t> mixed = times;
    for (size_t i = 0; i < mixed.size(); ++i) std::swap(mixed[i], mixed[i * 7'919 % mixed.size()]);
    // The piece reaches from below the first partition to above the last one.
    std::vector<int64_t> wide(100, 11 * kDay);
    wide[0] = 0;
    wide[99] = 20 * kDay;
    for (const PartitionLevel& level : levels) {
        for (const std::vector<int64_t>& rows : {times, mixed, wide}) {
            const std::vector<int32_t> partitions =
                placed(level, Value::of(Vector::of<int64_t>(Type::Timestamp, rows)));
            for (size_t i = 0; i < rows.size(); ++i)
                REQUIRE(partitions[i] == level.placeOne(Value::scalar(Type::Timestamp, rows[i])));
        }
    }
}
