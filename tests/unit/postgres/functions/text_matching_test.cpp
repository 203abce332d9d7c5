#include "postgres/functions/text_matching.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("like takes %, _ and an escape, characters of any length") {
    CHECK(matchesLike("hello", "h%o", "\\", false));
    CHECK(matchesLike("hällo", "h_llo", "\\", false));
    CHECK(matchesLike("50%", "50\\%", "\\", false));
    CHECK_FALSE(matchesLike("50x", "50\\%", "\\", false));
    CHECK(matchesLike("50%", "50!%", "!", false));
    CHECK(matchesLike("ABC", "a%", "\\", true));
    CHECK_FALSE(matchesLike("abc", "a", "\\", false));
    CHECK(matchesLike("", "%", "\\", false));
    CHECK_THROWS_AS(matchesLike("x", "x\\", "\\", false), SqlError);
    CHECK_FALSE(matchesLike(std::string(20'000, 'a'), "%a%a%a%a%b", "\\", false));
}

TEST_CASE("regular expressions match a part, and bad ones have their state") {
    CHECK(matchesRegex("hello", "l+", false));
    CHECK_FALSE(matchesRegex("hello", "^l", false));
    CHECK(matchesRegex("HELLO", "l+", true));
    CHECK_THROWS_AS(matchesRegex("x", "(", false), SqlError);
}
