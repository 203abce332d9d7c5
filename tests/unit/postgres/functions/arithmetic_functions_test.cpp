#include "postgres/functions/postgres_functions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("numeric keeps PostgreSQL's scales, and overflows are errors") {
    CHECK(answer("select 1.25 * 2.0, 10.0 / 3, 7.5 % 2, round(2.5), round(-2.5), round(1234.567, -2), trunc(2.79, 1), "
                 "ceil(2.1), floor(-2.1), sign(-2.5), abs(-1.50)") ==
          "2.500|3.3333333333333333|1.5|3|-3|1200|2.7|3|-3|-1|1.50");
    CHECK(answer("select 2.5::float8 * 2, round(2.5::float8), sqrt(4), power(2, 3), ln(1), exp(0), degrees(pi()), "
                 "width_bucket(5, 0, 10, 5), gcd(12, 18)") == "5|2|2|8|0|1|180|3|6");
    CHECK(stateOf("select 99999999999999999999999999999999999999 + 1.0") == "22003");
    CHECK(stateOf("select 1.0 / 0") == "22012");
    CHECK(stateOf("select 1::float8 / 0") == "22012");
    CHECK(stateOf("select sqrt(-1)") == "2201F");
    CHECK(stateOf("select ln(0)") == "2201E");
    CHECK(stateOf("select 9223372036854775807 + 1") == "22003");
    CHECK(stateOf("select 1::smallint + 32767::smallint") == "22003");
}
