#include "postgres/typing/typed.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("a constant knows whether it is NULL, and code its source") {
    CHECK(typedNull().isNullConstant());
    CHECK(typedNull().isUnknown());
    CHECK_FALSE(typedConstant(Value::ofInt(1), oid::kInt4).isNullable);
    CHECK(typedConstant(Value(), oid::kInt4).kept == Type::Int);
    CHECK(sourceOf(binaryNode(Operator::Add, columnNode("t", "a"), constantNode(Value::ofInt(1)))) == "t.a + 1");
    CHECK(typedNumeric(constantNode(Value::ofInt(1)), 3).scale == 3);
}
