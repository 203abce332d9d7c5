#include "common/nearest_name.h"

#include <catch2/catch.hpp>

#include "common/foreign_words.h"
#include "common/lookalike_characters.h"

using namespace pelorus;

using Names = std::vector<std::string_view>;

TEST_CASE("only the names with the fewest typing errors are near") {
    CHECK(nearestNames("prize", {"price", "print", "slice"}) == Names{"price"});
    CHECK(nearestNames("mvag", {"mavg", "avg"}) == Names{"mavg"});  // two letters swapped are one error
    CHECK(nearestNames("AVG", {"avg", "mavg"}) == Names{"avg"});
    CHECK(nearestNames("widnow", {"window", "minPeriods"}) == Names{"window"});
    CHECK(nearestNames("xyz", {"abc"}).empty());
    CHECK(nearestNames("x", {"y"}).empty());
}

TEST_CASE("names are told with a question") {
    CHECK(didYouMean({"a", "b"}) == "Did you mean a or b?");
    CHECK(didYouMean({}).empty());
    CHECK(differsInCaseOnly("AVG", "avg"));
    CHECK_FALSE(differsInCaseOnly("avg", "avg"));
}

TEST_CASE("words of other languages have an advice, in any letter case") {
    CHECK(foreignFunctionAdvice("LEN") == foreignFunctionAdvice("len"));
    CHECK(foreignWordAdvice("True") == "Write true: names are case-sensitive.");
    CHECK(foreignWordAdvice("price").empty());
    CHECK(foreignWordAdvice("c").empty());  // a variable, most often
    CHECK_FALSE(foreignFunctionAdvice("c").empty());
}

TEST_CASE("characters that look like those of the language are found with their place") {
    size_t offset = 0;
    CHECK(lookalikeAdvice("1，2", &offset) == "， is a full-width character: write , instead.");
    CHECK(offset == 1);
    CHECK(lookalikeAdvice("价格").empty());
    CHECK(wideBlankLength("\u2003x") == 3);
    CHECK(wideBlankLength("x") == 0);
}
