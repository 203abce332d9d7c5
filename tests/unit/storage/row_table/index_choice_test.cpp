#include "storage/row_table/index_choice.h"

#include <catch2/catch.hpp>

#include "storage/rows/index_key.h"

using namespace pelorus;

namespace {

const TableSchema kSchema = {{"w", Type::Int}, {"d", Type::Short}, {"id", Type::Long}, {"name", Type::String}};
const std::vector<int> kOrdinals = {4, 1, 2, 0};  // places in pages are others than in the table

std::vector<RowIndexDefinition> definitions() {
    return {{"by_name", {0, 2}, false}, {"pkey", {4, 1, 2}, true}};
}

ColumnConstraint between(int column, Value low, Value high, bool lowIncluded = true, bool highIncluded = true) {
    ColumnConstraint constraint;
    constraint.column = column;
    constraint.low = std::move(low);
    constraint.high = std::move(high);
    constraint.lowIncluded = lowIncluded;
    constraint.highIncluded = highIncluded;
    return constraint;
}

std::optional<IndexChoice> choose(const std::vector<ColumnConstraint>& constraints) {
    return chooseIndex(definitions(), kSchema, kOrdinals, constraints);
}

// Returns the key of an INT, alone.
std::string keyOf(int32_t value) {
    std::string key;
    const Ref<Vector> one = Vector::filled(Type::Int, 1, value == INT32_MIN ? Value() : Value::ofInt(value));
    appendKeyPart({Type::Int, 0}, cellOf(*one, 0), key);
    return key;
}

// Returns whether the ranges of an index of one INT have its key.
bool has(const IndexChoice& choice, int32_t value) {
    const std::string key = keyOf(value);
    return std::any_of(choice.ranges.begin(), choice.ranges.end(),
                       [&](const KeyRange& range) { return range.low <= key && (!range.high || key < *range.high); });
}

}  // namespace

TEST_CASE("the index of whose columns most are given is chosen") {
    CHECK(choose({columnEquals(0, Value::ofInt(1))})->index == 1);
    CHECK(choose({columnEquals(3, Value::ofString("x"))})->index == 0);
    const auto whole = choose({columnEquals(3, Value::ofString("x")), columnEquals(2, Value::ofLong(3)),
                               columnEquals(1, Value::scalar(Type::Short, 2)), columnEquals(0, Value::ofInt(1))});
    CHECK(whole->index == 1);
    CHECK(whole->columns == 3);
    CHECK(whole->ranges.size() == 1);
    CHECK_FALSE(choose({columnEquals(1, Value::scalar(Type::Short, 2))}));  // no index begins with it
    CHECK_FALSE(choose({}));
}

TEST_CASE("a list of values makes a range for each, and a range behind given columns ends the choice") {
    ColumnConstraint list = columnEquals(0, Value::ofInt(1));
    list.anyOf = {Value::ofInt(1), Value::ofInt(7), Value::ofInt(1)};
    CHECK(choose({list})->ranges.size() == 2);
    const auto behind = choose({list, between(1, Value::ofInt(2), Value::ofInt(5))});
    CHECK(behind->columns == 2);
    CHECK(behind->ranges.size() == 2);
}

TEST_CASE("the ranges of a column hold all values that satisfy constraints") {
    const std::vector<RowIndexDefinition> one = {{"one", {4}, false}};
    const std::vector<int32_t> values = {INT32_MIN, -INT32_MAX, -1, 0, 1, 5, INT32_MAX};
    const std::vector<Value> ends = {Value(),
                                     Value::nullOf(Type::Int),
                                     Value::ofInt(-INT32_MAX),
                                     Value::ofInt(-1),
                                     Value::ofInt(0),
                                     Value::ofLong(1),
                                     Value::ofInt(5),
                                     Value::ofInt(INT32_MAX),
                                     Value::ofLong(INT64_MAX),
                                     Value::ofLong(-5'000'000'000),
                                     Value::ofDouble(0.5),
                                     Value::ofDouble(5)};
    const auto number = [](const Value& end) { return end.isNull() ? -1e300 : end.asDouble(); };
    int checked = 0;
    for (const Value& low : ends) {
        for (const Value& high : ends) {
            for (const bool lowIncluded : {true, false}) {
                for (const bool highIncluded : {true, false}) {
                    const auto choice =
                        chooseIndex(one, kSchema, kOrdinals, {between(0, low, high, lowIncluded, highIncluded)});
                    if (!choice) continue;
                    for (const int32_t value : values) {
                        const double own = value == INT32_MIN ? -1e300 : value;
                        const bool isAbove = low.isVoid() || own > number(low) || (own == number(low) && lowIncluded);
                        const bool isBelow =
                            high.isVoid() || own < number(high) || (own == number(high) && highIncluded);
                        if (!isAbove || !isBelow) continue;
                        CAPTURE(value, low.isVoid(), high.isVoid(), lowIncluded, highIncluded);
                        CHECK(has(*choice, value));
                        ++checked;
                    }
                }
            }
        }
    }
    CHECK(checked > 100);
    const auto exact = chooseIndex(one, kSchema, kOrdinals, {between(0, Value::ofInt(1), Value::ofInt(5), false)});
    CHECK_FALSE(has(*exact, 1));
    CHECK(has(*exact, 5));
    CHECK_FALSE(has(*exact, INT32_MIN));
}

TEST_CASE("a value that no row has makes no range, and one that several have no choice") {
    const auto beyond = choose({columnEquals(0, Value::ofLong(5'000'000'000))});
    REQUIRE(beyond);
    CHECK(beyond->ranges.empty());
    CHECK_FALSE(choose({columnEquals(0, Value::ofDouble(1e300))}));
    CHECK_FALSE(choose({columnEquals(0, Value::ofString("1"))}));
    CHECK(choose({columnEquals(0, Value::ofDouble(3))})->ranges.size() == 1);
    CHECK(choose({columnEquals(0, Value::nullOf(Type::Int))})->ranges.size() == 1);
}

TEST_CASE("rows of overlapping ranges come once, in order, unless they are many") {
    RowKeyIndex index({"one", {0}, false}, {{Type::Int, 0}});
    {
        const LatchWriter latch(index.latch());
        for (int32_t i = 0; i < 1000; ++i) index.add(keyOf(i), static_cast<uint64_t>(2000 - i));
        index.add(keyOf(5), 1995);
        index.add(keyOf(6), 1995);  // an older key of that row
    }
    const std::vector<KeyRange> ranges = {{keyOf(5), keyOf(7)}, {keyOf(6), keyOf(8)}};
    CHECK(rowsInRanges(index, ranges, 100) == std::vector<uint64_t>{1993, 1994, 1995});
    CHECK(rowsInRanges(index, {{keyOf(0), std::nullopt}}, 1001)->size() == 1000);
    CHECK_FALSE(rowsInRanges(index, {{keyOf(0), std::nullopt}}, 500));
    CHECK(rowsInRanges(index, {}, 5)->empty());
}
