#include "postgres/change/store_rows.h"

#include "interpreter/engine/engine.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

void runScript(ChangedTables& tables, std::string_view script) {
    Session session(*tables.context().services);
    evaluate(script, session, tables.context());
}

}  // namespace

TEST_CASE("a row that no partition takes is an error, and nothing is stored") {
    ChangedTables tables;
    runScript(tables,
              "db = database('dfs://p', RANGE, 0 10 20);"
              "createPartitionedTable(db, table(1:0, `a`b, [INT, SYMBOL]), `t, `a)");
    CHECK(tables.run("insert into p.t values (1, 'x'), (15, 'y')") == "INSERT 0 2");
    CHECK(tables.run("insert into p.t values (2, 'x'), (20, 'y')") == "23514");
    CHECK(tables.run("update p.t set b = 'z' where a > 10") == "UPDATE 1");
    CHECK(tables.rows("select a, b from p.t order by a") == "1|x;15|z");
}

TEST_CASE("tables that sessions share take rows, and keyed ones each key once") {
    ChangedTables tables;
    runScript(tables,
              "share(table(1:0, `a`b, [LONG, DOUBLE]), `plain);"
              "share(keyedTable(`k, 1:0, `k`v, [INT, CHAR]), `keyed)");
    CHECK(tables.run("insert into plain values (1, 2.5), (2, null)") == "INSERT 0 2");
    CHECK(tables.run("insert into keyed values (1, 2), (2, 100)") == "INSERT 0 2");
    CHECK(tables.run("insert into keyed values (3, 2), (2, 3)") == "23505");
    CHECK(tables.run("insert into keyed values (4, 2), (4, 3)") == "23505");
    CHECK(tables.run("insert into keyed values (5, 128)") == "22003");
    CHECK(tables.run("update keyed set v = v + 1 where k = 1") == "UPDATE 1");
    CHECK(tables.run("delete from plain where b is null") == "DELETE 1");
    CHECK(tables.rows("select * from keyed order by k") == "1|3;2|100");
    CHECK(tables.rows("select * from plain") == "1|2.5");
    runScript(tables, "undef(`plain, SHARED); undef(`keyed, SHARED)");
}
