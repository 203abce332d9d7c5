#include "postgres/translate/array_values.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("constants of one type are a vector") {
    CHECK(vectorOfConstants({typedConstant(Value::ofInt(1), oid::kInt4), typedConstant(Value::ofInt(2), oid::kInt4)})
              .size() == 2);
    CHECK(vectorOfConstants({typedConstant(Value::ofInt(1), oid::kInt4), typedConstant(Value::ofLong(2), oid::kInt8)})
              .isVoid());
    CHECK(stateOf("select id = any(5) from pgitems") == "42804");
    CHECK(stateOf("select id > any(array_agg(id)) from pgitems group by id") == "0A000");
}
