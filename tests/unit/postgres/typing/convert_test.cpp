#include "postgres/typing/convert.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("types that become each other by themselves") {
    CHECK(convertsImplicitly(oid::kInt4, oid::kFloat8));
    CHECK_FALSE(convertsImplicitly(oid::kFloat8, oid::kInt4));
    CHECK(commonType(oid::kInt2, oid::kNumeric) == oid::kNumeric);
    CHECK(commonType(oid::kDate, oid::kTimestamp) == oid::kTimestamp);
    CHECK(commonType(oid::kUnknown, oid::kBool) == oid::kBool);
    CHECK(commonType(oid::kInt4, oid::kText) == 0);
    CHECK(answer("select case when id = 1 then 1 else 2.5 end from pgitems where id < 3 order by id") == "1.0;2.5");
    CHECK(stateOf("select coalesce(1, 'x')") == "22P02");
    CHECK(stateOf("select case when true then 1 else date '2026-01-01' end") == "42804");
}
