#include "streaming/reactive/key_numbers.h"

#include <catch2/catch.hpp>

#include "runtime/value/vector.h"

namespace pelorus {

namespace {

std::vector<int32_t> numbered(KeyNumbers& keys, std::vector<std::string> names, std::vector<int32_t> places) {
    const std::vector<Value> columns{Value::of(Vector::ofStrings(names, Type::Symbol)),
                                     Value::of(Vector::of(Type::Int, places))};
    std::vector<int32_t> numbers;
    keys.number(columns, std::ssize(places), numbers);
    return numbers;
}

}  // namespace

TEST_CASE("keys of several columns are numbered as they come, NULL too") {
    KeyNumbers keys({{"name", Type::Symbol, 0, ""}, {"place", Type::Int, 0, ""}});
    REQUIRE(numbered(keys, {"b", "a", "b"}, {1, 1, 2}) == std::vector<int32_t>{0, 1, 2});
    REQUIRE(numbered(keys, {"b", "", "a"}, {2, null<int32_t>, 1}) == std::vector<int32_t>{2, 3, 1});
    REQUIRE(keys.size() == 4);
    const std::vector<int32_t> asked{3, 0};
    REQUIRE(keys.keysOf(asked)[1].vector().isNullAt(0));
    REQUIRE(keys.keysOf(asked)[0].vector().string(1) == "b");
}

TEST_CASE("keys that are kept get the numbers of their order, and others come anew") {
    KeyNumbers keys({{"name", Type::Symbol, 0, ""}, {"place", Type::Int, 0, ""}});
    numbered(keys, {"a", "b", "c", "d"}, {1, 2, 3, 4});
    const std::vector<int32_t> kept{1, 3};
    keys.keep(kept);
    REQUIRE(keys.size() == 2);
    REQUIRE(numbered(keys, {"d", "a", "b"}, {4, 1, 2}) == std::vector<int32_t>{1, 2, 0});
    keys.keep({});
    REQUIRE(keys.size() == 0);
    REQUIRE(numbered(keys, {"c"}, {3}) == std::vector<int32_t>{0});
}

TEST_CASE("without columns all rows have one key") {
    KeyNumbers keys({});
    std::vector<int32_t> numbers;
    keys.number({}, 2, numbers);
    REQUIRE(numbers == std::vector<int32_t>{0, 0});
    REQUIRE(keys.size() == 1);
}

}  // namespace pelorus
