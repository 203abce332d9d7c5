#include "storage/rows/index_key.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace pelorus;

template <class T>
static std::string keyOf(Type type, T number) {
    std::string key;
    appendKeyPart({type, 0}, RowCell(reinterpret_cast<const char*>(&number), sizeof number), key);
    return key;
}
static std::string textKey(std::string_view text) {
    std::string key;
    appendKeyPart({Type::String, 0}, text, key);
    return key;
}

TEST_CASE("keys of numbers are in the order of the numbers, NULL last") {
    CHECK(keyOf<int32_t>(Type::Int, -5) < keyOf<int32_t>(Type::Int, -4));
    CHECK(keyOf<int32_t>(Type::Int, -1) < keyOf<int32_t>(Type::Int, 0));
    CHECK(keyOf<int64_t>(Type::Long, 255) < keyOf<int64_t>(Type::Long, 256));
    CHECK(keyOf<int32_t>(Type::Int, INT32_MAX) < keyOf<int32_t>(Type::Int, INT32_MIN));  // NULL
    CHECK(keyOf<double>(Type::Double, -1e300) < keyOf<double>(Type::Double, -0.5));
    CHECK(keyOf<double>(Type::Double, -0.0) == keyOf<double>(Type::Double, 0.0));
    CHECK(keyOf<double>(Type::Double, 0.0) < keyOf<double>(Type::Double, 5e-324));
    CHECK(keyOf<double>(Type::Double, INFINITY) > keyOf<double>(Type::Double, 1e308));
}

TEST_CASE("keys of texts are in the order of their bytes, whatever these are") {
    using namespace std::string_view_literals;
    CHECK(textKey("a") < textKey("ab"));
    CHECK(textKey("ab") < textKey("b"));
    CHECK(textKey("\0"sv) < textKey("a"));
    CHECK(textKey("a\0b"sv) < textKey("a\1"sv));
    CHECK(textKey("a\0b"sv) > textKey("a"));
    CHECK(textKey("\xff") > textKey("z"));
    CHECK(textKey("") > textKey("\xff"));  // NULL
}

TEST_CASE("keys that begin alike end before the key behind their prefix") {
    const std::string prefix = keyOf<int32_t>(Type::Int, 255);
    const std::string behind = *keyBehind(prefix);
    CHECK(prefix + std::string(9, '\xff') < behind);
    CHECK(behind <= keyOf<int32_t>(Type::Int, 256));
    CHECK_FALSE(keyBehind("\xff\xff").has_value());
}
