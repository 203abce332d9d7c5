#include "postgres/steps/point_lookup.h"

#include "tests/unit/postgres/answers.h"
#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

void fillKeyed() {
    [[maybe_unused]] static const bool isFilled = [] {
        wholeProcess().run(
            "share(keyedTable(`k, 1 2 3 as k, `a`b`c as s, 1.5 NULL 2.5 as x), `pgKeyed);"
            "share(keyedTable(`s`k, symbol(`a`a`b) as s, 1 2 1 as k, 10 20 30 as v), `pgTwoKeys)");
        return true;
    }();
}

bool isLookup(std::string_view text) {
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    const auto statements = postgres::parseStatements(text);
    return postgres::prepareQuery(*statements.at(0), {}, {}, context)->looksUp();
}

}  // namespace

TEST_CASE("rows are looked up by the whole key of a keyed table") {
    fillKeyed();
    CHECK(isLookup("select s, x from pgKeyed where k = $1"));
    CHECK(answer("select s, x, s from pgKeyed where k = $1", {Value::ofInt(2)}) == "b|-|b");
    CHECK(answer("select s, x from pgKeyed where k = $1", {Value::ofInt(9)}).empty());
    CHECK(answer("select s, x from pgKeyed where k = $1", {Value()}).empty());
    CHECK(answer("select s from pgKeyed where 3 = k") == "c");
    CHECK(answer("select v from pgTwoKeys where k = $1 and s = $2", {Value::ofInt(2), Value::ofString("a")}) == "20");
    CHECK(answer("select v from pgTwoKeys where k = 1 and s = 'b'") == "30");
}

TEST_CASE("other queries over a keyed table run in the engine") {
    fillKeyed();
    CHECK(!isLookup("select s from pgKeyed where k > $1"));
    CHECK(!isLookup("select s from pgKeyed where k = $1 limit 0"));
    CHECK(!isLookup("select upper(s) from pgKeyed where k = $1"));
    CHECK(!isLookup("select s from pgKeyed where k = $1 and x is not null"));
    CHECK(answer("select s from pgKeyed where k = 2 and x is not null").empty());
    CHECK(answer("select s from pgKeyed where x = 2.5") == "c");
    CHECK(answer("select s from pgKeyed where k = 1 and s = 'b'").empty());
    CHECK(answer("select v from pgTwoKeys where s = 'a' order by v") == "10;20");
    CHECK(answer("select s from pgKeyed where k = 1 and k = 2").empty());
    CHECK(answer("select id from pgItems where id = 2") == "2");
}

TEST_CASE("rows of a row table are looked up by its indexes") {
    ChangedTables tables;
    tables.run("create table t (w int, d smallint, name text, x float8, primary key (w, d)) using rows");
    tables.run("create index by_name on t (name)");
    tables.run("insert into t values (1, 1, 'a', 1), (1, 2, 'b', 2), (2, 1, 'a', 3)");
    const auto prepare = [&](std::string_view text) {
        return postgres::prepareQuery(*postgres::parseStatements(text).at(0), {}, tables.facts(), tables.context());
    };
    const auto found = [&](const postgres::PreparedQuery& query, const std::vector<Value>& parameters) {
        const Ref<MemoryTable> rows = query.run(parameters, tables.context());
        std::string text;
        for (int64_t row = 0; row < rows->rowCount(); ++row)
            text += std::string(rows->column(0).at(row).string()) + ' ';
        return text;
    };
    const auto whole = prepare("select name from t where d = $1 and w = $2");
    CHECK(whole->looksUp());
    CHECK(found(*whole, {Value::ofInt(2), Value::ofInt(1)}) == "b ");
    CHECK(found(*whole, {Value::ofInt(3), Value::ofInt(1)}).empty());
    CHECK(found(*whole, {Value(), Value::ofInt(1)}).empty());
    CHECK(whole->explained(tables.context()).find("Index look-up using t_pkey (w, d) on public.t") !=
          std::string::npos);
    CHECK(found(*prepare("select name from t where name = 'a'"), {}) == "a a ");
    CHECK(found(*prepare("select name from t where name = 'a' and x = 3"), {}) == "a ");
    CHECK(found(*prepare("select name from t where w = 1"), {}) == "a b ");
    CHECK(prepare("select name from t where x = 3")->explained(tables.context()).find("Index") == std::string::npos);
    // The handle that runs share sees later changes, and no table that took the name of this one.
    tables.run("update t set name = 'c' where w = 1 and d = 2");
    CHECK(found(*whole, {Value::ofInt(2), Value::ofInt(1)}) == "c ");
    tables.run("alter table t alter column x set default 5");
    CHECK(found(*whole, {Value::ofInt(2), Value::ofInt(1)}) == "c ");
    tables.run("drop table t");
    CHECK_THROWS_AS(found(*whole, {Value::ofInt(2), Value::ofInt(1)}), postgres::SqlError);
    tables.run("create table t (w int, d smallint, name text, x float8, primary key (w, d)) using rows");
    CHECK(found(*whole, {Value::ofInt(2), Value::ofInt(1)}).empty());
}
