#include "postgres/translate/prepared_query.h"

#include <catch2/catch.hpp>

#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

// Runs a query over the tables that the first case shares, and returns its rows: cells with | between, rows with ;.
std::string answer(std::string_view query, std::vector<Value> parameters = {}) {
    static const bool isFilled = [] {
        testing::wholeProcess().run(
            "share table(1 2 3 NULL 5 as id, `x`y`x`z`y as s, 1.5 2.5 NULL 4.0 5.0 as d, "
            "2026.01.01 2026.01.02 NULL 2026.01.04 2026.01.05 as day, true false NULL true false as b) as pgItems;"
            "share table(1 2 2 7 NULL as id, 10 20 21 70 90 as v) as pgOther");
        return true;
    }();
    REQUIRE(isFilled);
    Request request(Principal::owner());
    Context context(testing::wholeProcess().services(), request);
    SessionFacts session;
    session.user = "admin";
    const auto statements = parseStatements(query);
    REQUIRE(statements.size() == 1);
    const auto prepared = prepareQuery(*statements[0], {}, session, context);
    INFO(prepared->source());
    const Ref<MemoryTable> rows = prepared->run(parameters, context);
    std::string text;
    for (int64_t row = 0; row < rows->rowCount(); ++row) {
        if (row > 0) text += ';';
        for (size_t i = 0; i < prepared->columns().size(); ++i) {
            const Value cell = rows->column(static_cast<int>(i)).at(row);
            text +=
                (i > 0 ? "|" : "") +
                (cell.isNull() ? "-" : textForm(cell, prepared->columns()[i].type, prepared->columns()[i].modifier));
        }
    }
    return text;
}

std::string stateOf(std::string_view query) {
    try {
        return "answer " + answer(query);
    } catch (const std::exception& error) {
        return sqlStateOf(error);
    }
}

}  // namespace

TEST_CASE("columns, conditions and order are PostgreSQL's") {
    CHECK(answer("select id, s from pgitems where id > 1 order by id desc") == "5|y;3|x;2|y");
    CHECK(answer("select id from pgitems order by id") == "1;2;3;5;-");
    CHECK(answer("select id from pgitems order by 1 desc limit 2 offset 1") == "5;3");
    CHECK(answer("select p.id from pgitems as p where p.id <> 2 or p.id is null order by id") == "1;3;5;-");
    CHECK(answer("select count(*), count(id), sum(id), avg(id) from pgItems") == "5|4|11|2.7500000000000000");
    CHECK(answer("select * from pgother where v between 20 and 70 order by v") == "2|20;2|21;7|70");
}

TEST_CASE("NULL is unknown") {
    CHECK(answer("select id < 3 from pgitems order by id") == "true;true;false;false;-");
    CHECK(answer("select id from pgitems where not (id < 3) order by id") == "3;5");
    CHECK(answer("select id from pgitems where id in (1, 2, null) order by id") == "1;2");
    CHECK(answer("select count(*) from pgitems where id not in (1, 2, null)") == "0");
    CHECK(answer("select null = null, null is null, true or null, false and null") == "-|true|true|false");
    CHECK(answer("select 1 where null") == "");
}

TEST_CASE("numbers have PostgreSQL's types") {
    CHECK(answer("select 7 / 2, -7 / 2, 7 % 3, 7.0 / 2, 7 / 2.0::float8, 2 ^ 3") == "3|-3|1|3.5000000000000000|3.5|8");
    CHECK(answer("select 1.50 + 2.25, 1.5 * 1.5, round(2.567, 2), -1.5, 10000000000") ==
          "3.75|2.25|2.57|-1.5|10000000000");
    CHECK(stateOf("select 1 / 0") == "22012");
    CHECK(stateOf("select 2147483647 + 1") == "22003");
    CHECK(stateOf("select 'x' + 1") == "22P02");
    CHECK(stateOf("select id + s from pgitems") == "42883");
    CHECK(answer("select case when id <> 1 then 6 / (id - 1) else 0 end from pgitems where id < 4 order by id") ==
          "0;6;3");
}

TEST_CASE("groups, having, aggregates with filters, distinct") {
    CHECK(answer("select s, count(*) from pgitems group by s having count(*) > 1 order by s") == "x|2;y|2");
    CHECK(answer("select upper(s) as u, max(id) + 1 from pgitems group by upper(s) order by u") == "X|4;Y|6;Z|-");
    CHECK(answer("select count(*) filter (where id > 1), sum(id) filter (where s = 'y') from pgitems") == "3|7");
    CHECK(answer("select count(distinct s), string_agg(s, ',' order by id desc) from pgitems where id is not null") ==
          "2|y,x,y,x");
    CHECK(answer("select distinct s from pgitems order by s desc") == "z;y;x");
    CHECK(answer("select sum(id) from pgitems where id > 100") == "-");
    CHECK(stateOf("select id, count(*) from pgitems group by s") == "42803");
    CHECK(answer("select distinct on (s) s, id from pgitems order by s, id desc nulls last") == "x|3;y|5;z|-");
}

TEST_CASE("joins leave NULL keys out") {
    CHECK(answer("select i.id, o.v from pgitems i join pgother o on i.id = o.id order by 1, 2") == "1|10;2|20;2|21");
    CHECK(answer("select i.id, o.v from pgitems i, pgother o where i.id = o.id and o.v > 10 order by 1, 2") ==
          "2|20;2|21");
    CHECK(answer("select i.id, o.v from pgitems i left join pgother o on i.id = o.id order by 1, 2") ==
          "1|10;2|20;2|21;3|-;5|-;-|-");
    CHECK(answer("select id, v from pgitems join pgother using (id) order by 2") == "1|10;2|20;2|21");
}

TEST_CASE("sub-queries, with, union and windows") {
    CHECK(answer("select id from pgitems where id = (select max(id) from pgother where v < 70)") == "2");
    CHECK(answer("select id from pgitems where id in (select id from pgother) order by id") == "1;2");
    CHECK(answer("select id from pgitems i where exists (select 1 from pgother o where o.id = i.id and o.v > 10) order "
                 "by id") == "2");
    CHECK(answer("select id, (select sum(v) from pgother o where o.id = i.id) from pgitems i order by id") ==
          "1|10;2|41;3|-;5|-;-|-");
    CHECK(stateOf("select (select v from pgother)") == "21000");
    CHECK(answer("with w as (select id * 2 as d from pgitems where id < 4) select sum(d) from w") == "12");
    CHECK(answer("select id from pgother union select 3 order by 1") == "1;2;3;7;-");
    CHECK(answer("select id from pgother intersect select id from pgitems order by 1") == "1;2;-");
    CHECK(answer("select id from pgitems except select id from pgother order by 1") == "3;5");
    CHECK(answer("select id, row_number() over (partition by s order by id) from pgitems where id is not null order by "
                 "id") == "1|1;2|1;3|2;5|2");
    CHECK(answer("select sum(id) over (order by id rows between 1 preceding and current row) from pgitems where id is "
                 "not null order by 1") == "1;3;5;8");
    CHECK(answer("values (1, 'a'), (2, null)") == "1|a;2|-");
    CHECK(answer("select * from generate_series(1, 3) as g(i)") == "1;2;3");
}

TEST_CASE("texts and times") {
    CHECK(answer("select 'a' || 1, length(''), substring('hello' from 2 for 3), position('l' in 'hello'), 'Hello' like "
                 "'H_l%'") == "a1|0|ell|3|true");
    CHECK(answer("select date '2026-01-31' + interval '1 month', date '2026-03-01' - date '2026-02-01', extract(year "
                 "from date '2026-05-06')") == "2026-02-28 00:00:00|28|2026");
    CHECK(answer("select date_trunc('hour', timestamp '2026-01-01 10:35:12'), to_char(timestamp '2026-01-01 10:35:12', "
                 "'YYYY-MM-DD HH24:MI')") == "2026-01-01 10:00:00|2026-01-01 10:35");
    CHECK(answer(
              "select id from pgitems where day >= '2026-01-02' and day < date '2026-01-05' order by id nulls first") ==
          "-;2");
    CHECK(stateOf("select date '2026-02-30'") == "22008");
    CHECK(stateOf("select 'x'::int") == "22P02");
}

TEST_CASE("parameters take the types that stand beside them") {
    CHECK(answer("select id from pgitems where id > $1 order by id", {Value::ofInt(2)}) == "3;5");
    CHECK(answer("select s from pgitems where s = $1 limit 1", {textValue("y")}) == "y");
}

TEST_CASE("names that are not there have their state") {
    CHECK(stateOf("select nothing from pgitems") == "42703");
    CHECK(stateOf("select 1 from nothing_here") == "42P01");
    CHECK(stateOf("select nothing(1)") == "42883");
    CHECK(stateOf("select $1 is null") == "42P18");
    CHECK(stateOf("select a.id from pgitems a, pgitems a") == "42712");
    CHECK(stateOf("select id from pgitems, pgother") == "42702");
}

TEST_CASE("the system catalog shows the tables") {
    CHECK(answer("select count(*) from pg_catalog.pg_class c join pg_namespace n on n.oid = c.relnamespace where "
                 "c.relname = 'pgItems' and n.nspname = 'public'") == "1");
    CHECK(answer("select column_name, data_type from information_schema.columns where table_name = 'pgOther' order by "
                 "ordinal_position") == "id|integer;v|integer");
    CHECK(answer("select typname from pg_type where oid = 23") == "int4");
}
