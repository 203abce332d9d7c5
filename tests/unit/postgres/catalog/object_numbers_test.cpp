#include "postgres/catalog/object_numbers.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("names of objects have numbers that stay, and numbers are found by names") {
    CHECK(schemaNumber("public") == kPublicSchema);
    CHECK(tableNumber("a", "b") == tableNumber("a", "b"));
    CHECK(tableNumber("a", "b") != tableNumber("b", "a"));
    CHECK(tableNumber("a", "b") >= kFirstOwnNumber);
    CHECK(tableNumber("a", "b") < (int64_t{1} << 31));
    CHECK(answer("select count(*) from pg_class where oid = 'pgItems'::regclass") == "1");
    CHECK(answer("select 'int4'::regtype::oid") == "23");
    CHECK(stateOf("select 'not_there'::regclass") == "42P01");
}
