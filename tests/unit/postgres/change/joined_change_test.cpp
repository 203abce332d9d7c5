#include "postgres/change/joined_change.h"

#include "tests/unit/postgres/changes.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

namespace {

// Row tables t and s, and a table of columns c.
struct Joined : ChangedTables {
    Joined() {
        run("create table t (a int primary key, b text, n int) using rows");
        run("create table s (k int, x text, n int) using rows");
        run("create table c (k int, x text)");
        run("insert into t values (1, 'one', 10), (2, 'two', 20), (3, null, null)");
        run("insert into s values (1, '', 5), (2, 'zwei', 6), (2, 'zwei', 6), (9, 'neun', 7)");
        run("insert into c values (1, 'eins'), (3, 'drei')");
    }
};

}  // namespace

TEST_CASE_METHOD(Joined, "an update takes values of other tables, each row once") {
    CHECK(run("update t set b = s.x, n = t.n + s.n from s where s.k = t.a") == "UPDATE 2");
    CHECK(rows("select * from t order by a") == "1||15;2|zwei|26;3|-|-");
    CHECK(run("update t as u set b = c.x from c where c.k = u.a and u.n is null") == "UPDATE 1");
    CHECK(rows("select b from t where a = 3") == "drei");
    CHECK(run("update t set n = 0 from s, c where s.k = c.k and t.a = c.k") == "UPDATE 1");
    CHECK(run("update t set n = s.n from s left join c on c.k = s.k where s.k = t.a and c.x is null") == "UPDATE 1");
    CHECK(rows("select a, n from t order by a") == "1|0;2|6;3|-");
}

TEST_CASE_METHOD(Joined, "a delete finds its rows by other tables") {
    CHECK(returned("delete from t using s where s.k = t.a and s.x <> '' returning t.a, x, s.n + t.n as both") ==
          "2|zwei|26");
    CHECK(run("delete from t using t as o where o.a < t.a") == "DELETE 1");
    CHECK(rows("select a from t") == "1");
}

TEST_CASE_METHOD(Joined, "returning gives columns of all tables") {
    CHECK(returned("update t set b = 'x' from s where s.k = a and a = 1 returning *") == "1|x|10|1||5");
    CHECK(returned("update t set b = 'y' from s where s.k = a and a = 1 returning s.*, b") == "1||5|y");
    CHECK(returned("update t set b = 'y' from s where s.k = a returning n") == "42702");
    CHECK(run("update t set b = 'y' from s as t where t.k = 1 returning *") == "42712");
}

TEST_CASE_METHOD(Joined, "a sub-query reads columns of the changed row") {
    CHECK(run("update t set n = (select count(*) from s where s.k = t.a)") == "UPDATE 3");
    CHECK(rows("select a, n from t order by a") == "1|1;2|2;3|0");
    CHECK(run("delete from t where not exists (select 1 from s where s.k = t.a)") == "DELETE 1");
    CHECK(run("update t set b = (select x from s where s.k = t.a)") == "21000");
    CHECK(run("update c set x = (select x from s where s.k = c.k)") == "0A000");
    CHECK(run("update c set x = s.x from s where s.k = c.k") == "0A000");
}

TEST_CASE_METHOD(Joined, "queries before a change are read by it") {
    CHECK(returned("with x as (select k, n from s where k < 3) insert into t select k + 10, x.n from x where k = 1 "
                   "returning a, b") == "11|5");
    CHECK(
        run("with x as (select 4 as a), y as (select a * 10 as n from x) insert into t values ((select a from x), 'w', "
            "(select n from y)), (5, 'w', 0)") == "INSERT 0 2");
    CHECK(run("with x as (select 6 as a) insert into t (a) with y as (select a + 1 as b from x) select b from x, y") ==
          "INSERT 0 1");
    CHECK(returned(
              "with x as (select max(n) as m from s) update t set n = (select m from x) where a in (select k from s) "
              "and a = 1 returning n") == "7");
    CHECK(run("with x as (select k, n from s where k = 2) update t set n = x.n * 2 from x where t.a = x.k") ==
          "UPDATE 1");
    CHECK(run("with x as (select 5 as a) delete from t using x where t.a = x.a") == "DELETE 1");
    CHECK(run("with x as (select 4 as a) delete from t where a = (select a from x)") == "DELETE 1");
    // A query of the target's name hides it everywhere else.
    CHECK(returned("with t as (select 3 as a) update t set b = 'me' where a in (select a from t) returning *") ==
          "3|me|-");
    CHECK(run("with recursive r as (select 20 as a union all select a + 1 from r where a < 22) insert into t select a, "
              "'r', "
              "1 from r") == "INSERT 0 3");
    CHECK(rows("select a, n from t order by a") == "1|7;2|12;3|-;7|-;11|-;20|1;21|1;22|1");
    CHECK(run("with x as (select 1 as k) update c set x = 'by' where k in (select k from x)") == "UPDATE 1");
    CHECK(run("with x as (insert into t values (30) returning a) insert into s (k) select a from x") == "0A000");
    CHECK(run("with x as (select 1 as a) insert into t select b from x") == "42703");
}

TEST_CASE_METHOD(Joined, "several columns are set together") {
    CHECK(run("update t set (b, n) = ('z', 1) where a = 1") == "UPDATE 1");
    CHECK(run("update t set (b, n) = (select x, max(n) from s where s.k = t.a group by x) where a > 1") == "UPDATE 2");
    CHECK(rows("select * from t order by a") == "1|z|1;2|zwei|6;3|-|-");
    CHECK(run("update t set (b, n) = (select x from s)") == "42601");
    CHECK(run("update t set (b, n) = (select x, n from s)") == "21000");
    CHECK(run("update t set (n, b) = (select * from c where k = 0)") == "UPDATE 3");
}

TEST_CASE_METHOD(Joined, "constraints are checked row by row, and nothing is left of a statement that one refuses") {
    CHECK(run("update t set a = s.k + 1 from s where s.k = t.a") == "23505");
    CHECK(run("update t set a = t.a - 1 from s where s.k <= t.a") == "UPDATE 3");
    CHECK(rows("select a from t order by a") == "0;1;2");
    CHECK(run("update t set a = null from s where s.k = t.a") == "23502");
    CHECK(run("update t set n = 1 / (t.a - s.k) from s where s.k = t.a") == "22012");
    CHECK(rows("select a, n from t order by a") == "0|10;1|20;2|-");
}
