// Rows are cut so that of two the one with the lesser keys is in no later range, as a stable sort orders them.
#include "sql/keys/key_ranges.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

constexpr int64_t kRows = 5000;

// Returns few or many distinct values, NULL among them.
Value items(Type type, int64_t rows, unsigned different, std::mt19937& random) {
    Ref<Vector> v = Vector::make(type, rows);
    for (int64_t r = 0; r < rows; ++r) {
        const unsigned x = random() % different;
        if (isLiteral(type)) {
            v->setString(r, x == 0 ? "" : "k" + std::to_string(x));
        } else if (type == Type::Double) {
            v->set(r, x == 0 ? Value() : Value::ofDouble((static_cast<double>(x) - different / 2.0) / 8));
        } else {
            v->set(r, x == 0 ? Value() : Value::scalar(type, static_cast<int64_t>(x) - different / 2));
        }
    }
    return Value::of(v);
}

std::vector<Value> firstOf(const std::vector<Value>& keys, int64_t rows) {
    std::vector<Value> first;
    for (const Value& key : keys) first.push_back(key.isScalar() ? key : Value::of(key.vector().slice(0, rows)));
    return first;
}

// The ranges of all rows, found by those of the first thousand; they must not fall where rows are put in order.
std::vector<uint8_t> orderedRanges(const std::vector<Value>& keys) {
    const auto ranges = KeyRanges::ofSample(firstOf(keys, 1000), 1000);
    REQUIRE(ranges);
    std::vector<uint8_t> found(kRows);
    ranges->find(keys, kRows, found.data());
    std::vector<OrderKey> order;
    for (const Value& key : keys) {
        if (!key.isScalar()) order.push_back({key});
    }
    int last = 0;
    for (const int32_t row : sortPositions(order, kRows)) {
        CHECK(found[static_cast<size_t>(row)] >= last);
        last = found[static_cast<size_t>(row)];
    }
    return found;
}

int64_t largest(const std::vector<uint8_t>& ranges) {
    int64_t counts[KeyRanges::kMax] = {};
    for (const uint8_t range : ranges) {
        REQUIRE(range < KeyRanges::kMax);
        ++counts[range];
    }
    return *std::max_element(std::begin(counts), std::end(counts));
}

}  // namespace

TEST_CASE("ranges of keys follow the order of rows, and hold about as many each", "[key_ranges]") {
    std::mt19937 random(7);
    const std::vector<std::vector<std::pair<Type, unsigned>>> kinds = {
        {{Type::Int, 100000}},
        {{Type::Long, 1000000}},
        {{Type::Double, 100000}},
        {{Type::Symbol, 3000}},
        {{Type::Symbol, 5}, {Type::Short, 4}, {Type::Int, 5000}},
        {{Type::Date, 30}, {Type::Double, 3}, {Type::Symbol, 900}},
        {{Type::Bool, 2}, {Type::Char, 100}, {Type::Timestamp, 1000}},
    };
    for (const auto& kind : kinds) {
        std::vector<Value> keys;
        for (const auto& [type, different] : kind) keys.push_back(items(type, kRows, different, random));
        CAPTURE(typeName(kind[0].first), kind.size());
        CHECK(largest(orderedRanges(keys)) < 6 * kRows / static_cast<int64_t>(KeyRanges::kMax));
    }
}

TEST_CASE("ranges of keys take infinities, negative zeros and NaN where rows have them", "[key_ranges]") {
    std::mt19937 random(8);
    Value key = items(Type::Double, kRows, 100000, random);
    constexpr double kOdd[] = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    auto* x = key.vector().mutableData<double>();
    for (int64_t r = 0; r < kRows; r += 3) x[r] = kOdd[random() % 5];
    orderedRanges({key, items(Type::Int, kRows, 1000, random)});
}

TEST_CASE("a scalar among the keys stands for all rows", "[key_ranges]") {
    std::mt19937 random(9);
    const std::vector<uint8_t> with = orderedRanges({Value::ofInt(3), items(Type::Int, kRows, 100000, random)});
    CHECK(largest(with) < kRows / 10);
}

TEST_CASE("texts that came after the ranges were made lie in order, too", "[key_ranges]") {
    Ref<Vector> before = Vector::make(Type::Symbol, 200);
    for (int64_t r = 0; r < 200; ++r) before->setString(r, "range" + std::to_string(1001 + 2 * r));
    const Value sample = Value::of(before);
    const auto ranges = KeyRanges::ofSample({&sample, 1}, 200);
    REQUIRE(ranges);
    Ref<Vector> after = Vector::make(Type::Symbol, 402);
    const int32_t known = symbols::count();
    for (int64_t r = 0; r < 401; ++r) after->setString(r, "range" + std::to_string(1000 + r));
    after->setString(401, "");
    CHECK(symbols::count() > known);
    std::vector<uint8_t> found(402);
    const Value keys = Value::of(after);
    ranges->find({&keys, 1}, 402, found.data());
    CHECK(found[401] == 0);
    CHECK(found[0] == 0);
    for (size_t r = 1; r < 401; ++r) CHECK(found[r] >= found[r - 1]);
    CHECK(found[400] == KeyRanges::kMax - 1);
}

TEST_CASE("there are no ranges of few items, of texts and of nothing", "[key_ranges]") {
    std::mt19937 random(10);
    for (const Value& key : {items(Type::Int, kRows, 9, random), items(Type::String, kRows, 3000, random),
                             Value::ofInt(1), Value::of(Vector::make(Type::Int, 0))}) {
        CHECK_FALSE(KeyRanges::ofSample({&key, 1}, key.isScalar() ? kRows : key.size()));
    }
}
