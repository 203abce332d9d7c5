// Value ranges of blocks: found on the second request, and dropped before the values change.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

static bool operator==(const BlockRange& a, const BlockRange& b) {
    return a.least == b.least && a.greatest == b.greatest && a.nullCount == b.nullCount;
}

}  // namespace pelorus

using namespace pelorus;

namespace {

constexpr int64_t kItems = BlockRanges::kBlockElements;

// Computes the range of a block of SHORTs by a scan.
BlockRange lookedThrough(const Vector& elements, int64_t begin) {
    BlockRange range;
    const auto* shorts = elements.data<int16_t>();
    for (int64_t i = begin; i < begin + kItems; ++i) {
        if (shorts[i] == null<int16_t>) {
            ++range.nullCount;
            continue;
        }
        range.least = std::min<int64_t>(range.least, shorts[i]);
        range.greatest = std::max<int64_t>(range.greatest, shorts[i]);
    }
    return range;
}

Ref<Vector> counted(Type type, int64_t size) {
    Ref<Vector> elements = Vector::make(type, size);
    for (int64_t i = 0; i < size; ++i) elements->set(i, Value::scalar(type, i % 100));
    return elements;
}

}  // namespace

TEST_CASE("the range of a block is known when it is asked for again, of whole numbers and times of every width") {
    for (const Type type : {Type::Char, Type::Short, Type::Int, Type::Long, Type::Date, Type::Timestamp}) {
        const Ref<Vector> elements = counted(type, 2 * kItems + 5);
        elements->set(kItems + 7, Value::nullOf(type));
        elements->set(kItems + 8, Value::scalar(type, -3));
        CHECK(!elements->range(kItems));
        const auto range = elements->range(kItems);
        REQUIRE(range);
        CHECK(*range == BlockRange{-3, 99, 1});
        CHECK(!elements->range(0));
        REQUIRE(elements->range(0));
        CHECK(*elements->range(0) == BlockRange{0, 99, 0});
        // The last rows fill no block.
        CHECK(!elements->range(2 * kItems));
        CHECK(!elements->range(2 * kItems));
    }
    const Ref<Vector> nulls = Vector::filled(Type::Long, kItems, Value::nullOf(Type::Long));
    CHECK(!nulls->range(0));
    REQUIRE(nulls->range(0));
    CHECK(*nulls->range(0) == BlockRange{.nullCount = kItems});
}

TEST_CASE("items without an order of whole numbers have no range") {
    for (const Type type : {Type::Double, Type::Float, Type::Bool, Type::String, Type::Symbol, Type::Uuid}) {
        const Ref<Vector> elements = Vector::make(type, kItems);
        for (int i = 0; i < 3; ++i) CHECK(!elements->range(0));
    }
}

TEST_CASE("a view knows the ranges of the blocks that it shows whole") {
    const Ref<Vector> elements = counted(Type::Int, 3 * kItems);
    const Ref<Vector> aligned = elements->slice(kItems, kItems), askew = elements->slice(1, 2 * kItems);
    CHECK(!elements->range(kItems));
    CHECK(aligned->range(0));
    for (int i = 0; i < 3; ++i) CHECK(!askew->range(0));
}

TEST_CASE("a range never outlives its items, however vectors that share them write, grow, shrink and go") {
    int64_t known = 0;
    for (unsigned seed = 1; seed <= 10; ++seed) {
        std::mt19937 random(seed);
        const auto upTo = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n)(random); };
        std::vector<Ref<Vector>> vectors{counted(Type::Short, kItems + upTo(kItems))};
        for (int step = 0; step < 120; ++step) {
            const auto which = static_cast<size_t>(upTo(static_cast<int64_t>(vectors.size()) - 1));
            const Ref<Vector> vector = vectors[which];
            const Value element =
                upTo(5) == 0 ? Value::nullOf(Type::Short) : Value::ofShort(static_cast<int16_t>(upTo(60'000) - 30'000));
            switch (upTo(6)) {
                case 0:
                    if (vector->size() > 0) vector->set(upTo(vector->size() - 1), element);
                    break;
                case 1:
                    vector->append(*Vector::filled(Type::Short, kItems / 3, element), 0, kItems / 3);
                    break;
                case 2:
                    vector->resize(std::max<int64_t>(0, vector->size() - upTo(kItems / 2)));
                    break;
                case 3:
                    if (vectors.size() < 4) vectors.push_back(vector->slice(0, upTo(vector->size())));
                    break;
                case 4:
                    if (vectors.size() < 4) vectors.push_back(vector->handOver());
                    break;
                case 5:
                    if (vectors.size() > 1) vectors.erase(vectors.begin() + static_cast<std::ptrdiff_t>(which));
                    break;
                default:
                    break;
            }
            for (const Ref<Vector>& each : vectors) {
                for (int64_t begin = 0; begin + kItems <= each->size(); begin += kItems) {
                    const auto range = each->range(begin);
                    if (!range) continue;
                    ++known;
                    REQUIRE(*range == lookedThrough(*each, begin));
                }
            }
        }
    }
    CHECK(known > 1000);
}
