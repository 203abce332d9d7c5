#include "runtime/arrow/flat_view.h"

#include <catch2/catch.hpp>

namespace pelorus::arrow {

TEST_CASE("a message that leads outside of its bytes is refused") {
    CHECK_THROWS_AS(FlatView(""), SystemError);
    CHECK_THROWS_AS(FlatView(std::string_view("\xff\xff\xff\x7f", 4)), SystemError);
    // A root whose list of fields would begin before the bytes.
    const std::string_view before("\4\0\0\0\x7f\0\0\0", 8);
    CHECK_THROWS_AS(FlatView(before).text(0), SystemError);
}

}  // namespace pelorus::arrow
