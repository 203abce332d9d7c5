#include "postgres/change/kept_inserts.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

// Adds one row to a table of one INT column.
void keep(KeptInserts& kept, ChangedTables& tables, const std::string& table, int value) {
    kept.add(findTarget("", table, tables.facts(), tables.context(), -1),
             makeRef<MemoryTable>(std::vector<std::string>{"a"},
                                  std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, {value}))}));
}

}  // namespace

TEST_CASE("kept rows are stored together, without those that were rolled back to a savepoint") {
    ChangedTables tables;
    tables.run("create table t (a int)");
    tables.run("create table u (a int primary key)");
    KeptInserts kept;
    keep(kept, tables, "t", 1);
    kept.savepoint();
    keep(kept, tables, "u", 2);
    kept.savepoint();
    keep(kept, tables, "t", 3);
    kept.rollbackTo(2);
    keep(kept, tables, "t", 4);
    CHECK(kept.has("public", "u"));
    CHECK(!kept.has("public", "v"));
    kept.release(1);
    CHECK(tables.rows("select a from t") == "");
    kept.commit(tables.context(), nullptr);
    CHECK(kept.isEmpty());
    CHECK(tables.rows("select a from t order by a") == "1;4");
    CHECK(tables.rows("select a from u") == "2");
}

TEST_CASE("where one row cannot be stored none is") {
    ChangedTables tables;
    tables.run("create table t (a int)");
    tables.run("create table u (a int primary key)");
    tables.run("insert into u values (2)");
    KeptInserts kept;
    keep(kept, tables, "t", 1);
    keep(kept, tables, "u", 2);
    CHECK_THROWS_AS(kept.commit(tables.context(), nullptr), SqlError);
    CHECK(kept.isEmpty());
    CHECK(tables.rows("select a from t") == "");
}
