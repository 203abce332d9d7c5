// '' beside NULL, and where both are NULL.
#include "runtime/append/empty_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace pelorus;

TEST_CASE("'' becomes NULL, other texts with a byte 00 stay") {
    const Ref<Vector> texts = Vector::ofStrings({"a", std::string(kEmptyText), "", std::string("\0b", 2)});
    nullEmptyTexts(*texts);
    CHECK(texts->string(0) == "a");
    CHECK(texts->isNullAt(1));
    CHECK(texts->isNullAt(2));
    CHECK(texts->string(3) == std::string_view("\0b", 2));
}

TEST_CASE("numbers have no ''") {
    const Ref<Vector> numbers = Vector::of(Type::Int, std::vector<int32_t>{1, 2});
    nullEmptyTexts(*numbers);
    CHECK(numbers->at(1).integer() == 2);
}
