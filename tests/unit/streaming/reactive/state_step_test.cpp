#include "streaming/reactive/state_step.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus {

TEST_CASE("a result is a column, a value for all rows, or several columns") {
    StepColumns columns;
    addStepResult(columns, Value::ofInt(7), 2);
    REQUIRE(columns[0].vector().asLong(1) == 7);
    const Value column = Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2}));
    addStepResult(columns, Value::of(makeRef<Tuple>(std::vector<Value>{column, column})), 2);
    REQUIRE(columns.size() == 3);
    REQUIRE_THROWS_AS(addStepResult(columns, column, 3), UserError);
}

TEST_CASE("made-up columns have the type of the column, and ten elements in a row") {
    const Value times = madeUpColumn(filledColumn(Type::Timestamp, 0, 0), 2);
    REQUIRE(times.type() == Type::Timestamp);
    REQUIRE(!times.vector().isNullAt(1));
    const Value levels = madeUpColumn(filledColumn(arrayTypeOf(Type::Double), 0, 0), 3);
    REQUIRE(levels.size() == 3);
    REQUIRE(levels.as<ArrayVector>()->rowSize(2) == 10);
}

TEST_CASE("results are brought to the type of their column") {
    const ColumnSchema real{"x", Type::Double, 0, ""};
    const Value whole = Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2}));
    REQUIRE(asStepColumn(whole, real).type() == Type::Double);
    const Value mixed = Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofInt(3), Value()}));
    const Value typed = asStepColumn(mixed, real);
    REQUIRE(typed.vector().asDouble(0) == 3);
    REQUIRE(typed.vector().isNullAt(1));
}

}  // namespace pelorus
