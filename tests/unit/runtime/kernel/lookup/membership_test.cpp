// A membership test of blocks returns the same as comparing each value with each key.
#include "runtime/kernel/lookup/membership.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

using namespace pelorus;

namespace {

constexpr int64_t kNone = INT64_MIN;

Value itemsOf(Type type, const std::vector<int64_t>& numbers) {
    Ref<Vector> elements = Vector::make(type, static_cast<int64_t>(numbers.size()));
    for (size_t i = 0; i < numbers.size(); ++i) {
        const Value number = Value::ofLong(numbers[i]);
        elements->set(static_cast<int64_t>(i), numbers[i] == kNone ? Value::nullOf(type) : cast(number, type));
    }
    return Value::of(elements);
}

Value setOf(const Value& keys) {
    auto set = makeRef<Set>(keys.type());
    for (int64_t i = 0; i < keys.size(); ++i) set->index.insert(keys.at(i));
    return Value::of(set);
}

}  // namespace

TEST_CASE("a membership finds what a search of all keys finds, however keys lie and however often it is asked") {
    std::mt19937_64 random(5);
    const Type types[] = {Type::Char,      Type::Short, Type::Int,    Type::Long,
                          Type::Timestamp, Type::Date,  Type::Double, Type::String};
    int64_t met = 0, found = 0;
    for (int round = 0; round < 400; ++round) {
        const Type keyType = types[random() % std::size(types)];
        const bool isNumber = isIntegral(keyType);
        const Type elementType = isNumber ? types[random() % 4] : keyType;
        // Few keys, keys close together and far apart.
        const int64_t range =
            keyType == Type::Char || elementType == Type::Char ? 120 : int64_t{1} << (4 + random() % 11);
        const int64_t step =
            range > 120 && random() % 4 == 0 && keyType != Type::Short && elementType != Type::Short ? 100'003 : 1;
        const auto draw = [&] {
            if (random() % 20 == 0) return kNone;
            return (static_cast<int64_t>(random() % static_cast<uint64_t>(range)) - range / 2) * step;
        };
        std::vector<int64_t> keys(random() % (round % 3 == 0 ? 18 : 500));
        for (int64_t& k : keys) k = draw();
        const std::set<int64_t> all(keys.begin(), keys.end());
        const Value given = itemsOf(keyType, keys);
        const Membership membership(random() % 2 ? given : setOf(given));
        for (int block = 0; block < 12; ++block) {
            std::vector<int64_t> numbers(random() % 700);
            for (int64_t& n : numbers) n = draw();
            const Value elements = itemsOf(elementType, numbers);
            const Value marks = membership.of(elements);
            INFO(typeName(elementType) << " among " << typeName(keyType) << ": " << display(given));
            REQUIRE(marks.size() == elements.size());
            const Value once = isIn(elements, given);
            for (size_t i = 0; i < numbers.size(); ++i) {
                const bool expected = all.contains(numbers[i]);
                const auto at = static_cast<int64_t>(i);
                INFO(numbers[i]);
                if (isTrue(marks.at(at)) != expected || isTrue(once.at(at)) != expected) FAIL("is found wrongly");
                ++met;
                found += expected;
            }
        }
    }
    CHECK(met > 1'000'000);
    CHECK(found > met / 10);
}

TEST_CASE("threads may ask one membership at once") {
    std::vector<int64_t> keys(20'000), numbers(50'000);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int64_t>(i) * 1'000'003;
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<int64_t>(i / 2) * 1'000'003 + static_cast<int64_t>(i % 2);
    const Value elements = itemsOf(Type::Long, numbers), given = itemsOf(Type::Long, keys);
    const Value expected = isIn(elements, given);
    REQUIRE(isTrue(expected.at(2)));
    REQUIRE(!isTrue(expected.at(3)));
    const Membership membership(given);
    std::vector<Value> answers(8);
    std::vector<std::thread> threads;
    for (Value& answer : answers) threads.emplace_back([&] { answer = membership.of(elements); });
    for (std::thread& thread : threads) thread.join();
    for (const Value& answer : answers) CHECK(identical(answer, expected));
}
