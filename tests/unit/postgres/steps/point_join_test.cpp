#include "postgres/steps/point_join.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

bool isJoined(ChangedTables& tables, std::string_view text) {
    return postgres::prepareQuery(*postgres::parseStatements(text).at(0), {}, tables.facts(), tables.context())
        ->looksUp();
}

}  // namespace

TEST_CASE("row tables whose keys the condition fixes are joined by look-ups") {
    ChangedTables tables;
    tables.run("create table w (w_id int primary key, tax numeric(4,2), name text) using rows");
    tables.run("create table c (c_w bigint, c_id int, last text, primary key (c_w, c_id)) using rows");
    tables.run("create index on c (c_w, last)");
    tables.run("insert into w values (1, 0.25, 'one'), (2, 0.50, null)");
    tables.run("insert into c values (1, 1, 'a'), (1, 2, 'b'), (1, 3, 'b'), (2, 1, null), (3, 1, 'z')");
    const char* const byKey = "select last, tax, w_id from c, w where w_id = 1 and c_w = w_id and c_id = 2";
    CHECK(isJoined(tables, byKey));
    CHECK(tables.rows(byKey) == "b|0.25|1");
    CHECK(tables.rows("select c_id, name from w join c on w_id = c_w where c_w = 1 and last = 'b'") == "2|one;3|one");
    CHECK(tables.rows("select last, name from c, w where w_id = 2 and c_w = w_id and c_id = 1") == "-|-");
    CHECK(tables.rows("select last from c, w where w_id = 3 and c_w = w_id and c_id = 1").empty());
    CHECK(tables.rows("select last from c, w where w_id = 9 and c_w = w_id and c_id = 1").empty());
    CHECK(tables.rows("select last from c, w where w_id = null and c_w = w_id and c_id = 1").empty());
    CHECK(tables.rows(
              "select a.last, b.last from c a, c b where a.c_w = 1 and a.c_id = 1 and b.c_w = 1 and b.c_id = 3") ==
          "a|b");
    CHECK(tables.rows("select last from c, w where w_id = 1 and c_w = w_id and c_w = 2 and c_id = 1").empty());
}

TEST_CASE("joins that compare more than values run in the engine") {
    ChangedTables tables;
    tables.run("create table w (w_id int primary key, tax int) using rows");
    tables.run("create table c (c_w int, c_id int, primary key (c_w, c_id)) using rows");
    tables.run("insert into w values (1, 1)");
    tables.run("insert into c values (1, 1), (1, 2)");
    CHECK(!isJoined(tables, "select c_id from c, w where w_id = 1 and c_w = 1 and c_id = tax"));
    CHECK(!isJoined(tables, "select c_id from c left join w on w_id = c_w where c_w = 1 and c_id = 1"));
    CHECK(!isJoined(tables, "select c_id from c, w where w_id = 1 and c_w = w_id order by c_id"));
    CHECK(!isJoined(tables, "select c_id from c, w where c_w = 1 and c_id = 1"));
    CHECK(tables.rows("select c_id from c, w where w_id = 1 and c_w = 1 and c_id = tax") == "1");
}
