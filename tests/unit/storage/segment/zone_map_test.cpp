#include "storage/segment/zone_map.h"

#include <bit>
#include <catch2/catch.hpp>
#include <limits>

using namespace pelorus;

namespace {

template <class T>
ZoneMap of(Type type, const std::vector<T>& elements) {
    return zoneMapOf(type, reinterpret_cast<const char*>(elements.data()), static_cast<int64_t>(elements.size()));
}

}  // namespace

TEST_CASE("bounds are those of the values that are not NULL") {
    const ZoneMap ints = of<int32_t>(Type::Int, {5, null<int32_t>, -7, 3});
    CHECK(ints.boundsKnown);
    CHECK(ints.min == -7);
    CHECK(ints.max == 5);
    CHECK(ints.nullCount == 1);
    const ZoneMap one = of<int64_t>(Type::Long, {std::numeric_limits<int64_t>::max()});
    CHECK(one.min == std::numeric_limits<int64_t>::max());
    CHECK(one.max == one.min);
    CHECK(one.nullCount == 0);
    const ZoneMap none = of<int16_t>(Type::Short, {null<int16_t>, null<int16_t>});
    CHECK(!none.boundsKnown);
    CHECK(none.nullCount == 2);
}

TEST_CASE("floats have the bits of doubles as bounds, and none where one is NaN") {
    const ZoneMap doubles = of<double>(Type::Double, {2.5, null<double>, -1e300});
    CHECK(std::bit_cast<double>(doubles.min) == -1e300);
    CHECK(std::bit_cast<double>(doubles.max) == 2.5);
    const ZoneMap floats = of<float>(Type::Float, {0.1F, 0.2F});
    CHECK(std::bit_cast<double>(floats.min) == static_cast<double>(0.1F));
    const ZoneMap strange = of<double>(Type::Double, {1, std::numeric_limits<double>::quiet_NaN(), null<double>});
    CHECK(!strange.boundsKnown);
    CHECK(strange.nullCount == 1);
    const ZoneMap infinite = of<double>(Type::Double, {1, std::numeric_limits<double>::infinity()});
    CHECK(std::bit_cast<double>(infinite.max) == std::numeric_limits<double>::infinity());
}

TEST_CASE("of values of 16 bytes only NULLs are counted, and where that is not known all may be NULL") {
    std::vector<char> bytes(3 * 16, '\0');
    bytes[20] = 1;
    const ZoneMap uuids = zoneMapOf(Type::Uuid, bytes.data(), 3);
    CHECK(!uuids.boundsKnown);
    CHECK(uuids.nullCount == 2);
    CHECK(zoneMapOf(Type::Decimal128, bytes.data(), 3).nullCount == 3);
}

TEST_CASE("the first code of a dictionary is NULL if it begins with the empty string") {
    const std::vector<int32_t> codes{0, 4, 2, 0};
    const ZoneMap withEmpty = zoneMapOfCodes(codes.data(), 4, true);
    CHECK(withEmpty.min == 2);
    CHECK(withEmpty.max == 4);
    CHECK(withEmpty.nullCount == 2);
    const ZoneMap without = zoneMapOfCodes(codes.data(), 4, false);
    CHECK(without.min == 0);
    CHECK(without.nullCount == 0);
    CHECK(!zoneMapOfCodes(codes.data(), 1, true).boundsKnown);
}
