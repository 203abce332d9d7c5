#include "postgres/translate/prepared_query.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("parameters take the types that stand beside them") {
    CHECK(answer("select id from pgitems where id > $1 order by id", {Value::ofInt(2)}) == "3;5");
    CHECK(answer("select s from pgitems where s = $1 limit 1", {textValue("y")}) == "y");
}

TEST_CASE("a query says its columns without reading a row, and its steps in our language") {
    fillTables();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    const auto prepared =
        prepareQuery(*parseStatements("select id as a, count(*) from pgitems group by id")[0], {}, {}, context);
    REQUIRE(prepared->columns().size() == 2);
    CHECK(prepared->columns()[0].label == "a");
    CHECK(prepared->columns()[0].type == oid::kInt4);
    CHECK(prepared->columns()[1].label == "count");
    CHECK(prepared->columns()[1].type == oid::kInt8);
    CHECK(prepared->source().find("select") != std::string::npos);
}
