// Shared tables are open to all until access to them is controlled; then each use needs its right.
#include <catch2/catch.hpp>

#include "tests/support/users_fixture.h"

using namespace pelorus;

namespace {

const auto kRefused = Catch::Contains("<NoPrivilege>No access to shared table [st]");

void share(UsersFixture& users) {
    users.run("ann", "share table(1 2 3 as x, 4 5 6 as y) as st");
}

}  // namespace

TEST_CASE("a shared table is open to all until its owner controls the access") {
    UsersFixture users;
    share(users);
    REQUIRE(users.run("bob", "insert into st values(7, 8); size(st)") == "4");
    REQUIRE_THROWS_WITH(users.run("bob", "addAccessControl(st)"), Catch::Contains("belongs to ann"));
    REQUIRE_THROWS_WITH(users.run("bob", "addAccessControl(`st)"), Catch::Contains("belongs to ann"));
    REQUIRE_THROWS_WITH(users.run("ann", "addAccessControl(table(1 as x))"), Catch::Contains("that sessions share"));
    users.run("ann", "addAccessControl(st)");
    REQUIRE(users.run("ann", "size(st)") == "4");
    REQUIRE(users.run("admin", "size(st)") == "4");
}

TEST_CASE("every way to a controlled table asks for a right") {
    UsersFixture users;
    share(users);
    users.run("bob", "kept = st\ndef look() { return objByName(`st) }");
    users.run("ann", "addAccessControl(`st)");
    const char* const scripts[] = {"select * from st",
                                   "exec x from st where y > 4",
                                   "select * from objByName(`st)",
                                   "objByName(`st, true)",
                                   "st",
                                   "st.x",
                                   "st[0]",
                                   "t = st; t",
                                   "size(st)",
                                   "st + 1",
                                   "-st",
                                   "look()",
                                   "eval(<size(st)>)",
                                   "eval(parseExpr(\"st.x\"))",
                                   "for (row in st) { print(row) }",
                                   "each(size, [st])",
                                   "runScript(\"size(st)\")",
                                   "insert into st values(1, 2)",
                                   "update st set x = 0",
                                   "delete from st",
                                   "append!(st, table(1 as x, 2 as y))",
                                   "st.append!(table(1 as x, 2 as y))",
                                   "tableInsert(st, 1, 2)",
                                   "tableInsert(objByName(`st), 1, 2)",
                                   "st[`z] = 1",
                                   "replaceColumn!(st, `x, 1.0 2.0 3.0)",
                                   "rename!(st, `x, `z)",
                                   "addColumn(st, `z, INT)",
                                   "dropColumns!(st, `x)",
                                   "sortBy!(st, `x)",
                                   "select * from ej(st, table(1 as x), `x)",
                                   "share st as other",
                                   "share table(1 as x) as st",
                                   "share(table(1 as x), `st)",
                                   "undef(`st, SHARED)",
                                   "schema(st)",
                                   "select * from kept",
                                   "kept.x",
                                   "kept[0]",
                                   "kept",
                                   "size(kept)",
                                   "kept.append!(table(1 as x, 2 as y))",
                                   "insert into kept values(1, 2)",
                                   "update kept set x = 0",
                                   "delete from kept",
                                   "kept + 1",
                                   "peach(i -> size(objByName(`st)), 1 2)",
                                   "transaction { insert into st values(1, 2) }"};
    for (const char* script : scripts) {
        INFO(script);
        REQUIRE_THROWS_WITH(users.run("bob", script), kRefused);
    }
    REQUIRE_THROWS_WITH(users.call("bob", "tableInsert{st}", {Value::ofInt(1), Value::ofInt(2)}), kRefused);
    REQUIRE(users.run("bob", "exec count(*) from objs(true) where name = `st") == "0");
    REQUIRE(users.run("ann", "st.x") == "[1,2,3]");
    REQUIRE(users.run("ann", "st.columnNames()") == "[\"x\",\"y\"]");
}

TEST_CASE("a right to a controlled table allows what it says and no more") {
    UsersFixture users;
    share(users);
    users.run("ann", "addAccessControl(`st)");
    users.grant("bob", Right::Insert, "st");
    users.run("bob", "insert into st values(7, 8)\ntableInsert(st, 9, 10)\nst.append!(table(11 as x, 12 as y))");
    REQUIRE(users.run("ann", "size(st)") == "6");
    for (const char* script : {"select * from st", "size(st)", "t = st.append!(table(1 as x, 2 as y)); size(t); st.x",
                               "update st set x = 0", "delete from st", "upsert!(st, table(1 as x, 2 as y))"}) {
        INFO(script);
        REQUIRE_THROWS_WITH(users.run("bob", script), kRefused);
    }
    users.grant("bob", Right::Read, "st");
    REQUIRE(users.run("bob", "st.x[0]") == "1");
    REQUIRE_THROWS_WITH(users.run("bob", "delete from st"), kRefused);
    users.grant("bob", Right::Delete, "st");
    users.run("bob", "delete from st where x > 3");
    REQUIRE(users.run("bob", "size(st)") == "4");
}

TEST_CASE("the control of a name outlives the table, and a compiled function notices it") {
    UsersFixture users;
    share(users);
    users.run("bob", "def rowsOfIt() { return size(objByName(`st)) }");
    REQUIRE(users.run("bob", "rowsOfIt()") == "3");
    users.run("ann", "addAccessControl(`st)\nundef(`st, SHARED)\nshare table(1 2 as x) as st");
    REQUIRE_THROWS_WITH(users.run("bob", "rowsOfIt()"), kRefused);
}
