#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a list of parameters is searched for the values that are not NULL") {
    const std::vector<Value> numbers = {Value::ofInt(1), Value(), Value::ofInt(5)};
    CHECK(answer("select id from pgItems where id in ($1, $2, $3) order by id", numbers) == "1;5");
    CHECK(answer("select id from pgItems where id in ($1, 2, $2, $3) order by id", numbers) == "1;2;5");
    CHECK(answer("select id from pgItems where id not in ($1, $2, $3)", numbers).empty());
    CHECK(answer("select id from pgItems where id not in ($1, 2, $2) order by id",
                 {Value::ofInt(1), Value::ofInt(5)}) == "3");
    CHECK(answer("select id from pgItems where id in ($1::bigint, $2::bigint, $3::bigint)",
                 {Value::ofLong(int64_t{1} << 40), Value::ofLong(3), Value()}) == "3");
    CHECK(answer("select id from pgItems where s in ($1, $2, $3) order by id",
                 {Value::ofString("y"), Value::ofString("none"), Value()}) == "2;5");
    CHECK(answer("select id from pgItems where day in ($1, $2, $3) order by id",
                 {Value::scalar(Type::Date, 20455), Value(), Value()}) == "2");
    CHECK(answer("select id from pgItems where d in ($1, $2, $3) order by id",
                 {Value::ofDouble(2.5), Value::ofDouble(5), Value()}) == "2;5");
}
