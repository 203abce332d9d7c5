#include "postgres/steps/plan_steps.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("names are those of the steps, then of the steps around, then built-ins of the dialect") {
    fillTables();
    StepScope outer;
    outer.set("a", Value::ofInt(1));
    StepScope inner(&outer);
    inner.set("b", Value::ofInt(2));
    Value value;
    CHECK(inner.lookup("a", value));
    CHECK(value.integer() == 1);
    CHECK(inner.lookup("pgIntAdd", value));
    CHECK(value.isFunction());
    CHECK_FALSE(inner.lookup("sin", value));
    CHECK_FALSE(outer.lookup("b", value));
    CHECK(parameterName(3) == "pgParameter3");
}
