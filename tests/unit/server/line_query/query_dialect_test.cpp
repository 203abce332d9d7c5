#include "server/line_query/query_dialect.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

namespace {

std::string translated(std::string_view query) {
    return translateQuery(query,
                          {.variables = {{"cpu", "cpu"}, {"my table", "lineTable_1"}, {"select", "lineTable_2"}},
                           .timeColumns = {{"cpu", "at"}, {"lineTable_1", "at"}},
                           .temporalColumns = {"at", "seen"},
                           .isAggregate = [](std::string_view name) { return name == "max" || name == "count"; }});
}

}  // namespace

TEST_CASE("queries in our SQL pass as they are") {
    for (const char* query :
         {"select  a , b from cpu\nwhere at > 2026.01.01T00:00:00 and s = `it",
          "select latest, sample from cpu order by sample", "select `a`b from t", "select x[0] from t"})
        REQUIRE(translated(query) == query);
}

TEST_CASE("strings that are compared with times are times, other ones in single quotes strings") {
    REQUIRE(translated("select a from cpu where at >= '2026-01-02T03:04:05.5Z' and s = 'x'") ==
            "select a from cpu where at >= 2026.01.02T03:04:05.500000000 and s = \"x\"");
    REQUIRE(translated("select a from cpu where at between '2026-01-02' and '2026-01-03 04:05'") ==
            "select a from cpu where at between 2026.01.02T00:00:00.000000000 and 2026.01.03T04:05:00.000000000");
    REQUIRE(translated("select a from cpu where s = '2026-01-02' and at < '2026-02-30'") ==
            "select a from cpu where s = \"2026-01-02\" and at < \"2026-02-30\"");
    REQUIRE(translated(R"(select a from cpu where s in ('it''s', 'a"b', '\\'))") ==
            R"(select a from cpu where s in ("it's", "a\"b", "\\"))");
}

TEST_CASE("double quotes are names of tables and columns, whatever is in them") {
    REQUIRE(translated(R"(select "cpu load", "group" as "a""b" from "my table" where "at" > '2026-01-02')") ==
            R"(select _"cpu load", _"group" as _"a\"b" from lineTable_1 where _"at" > 2026.01.02T00:00:00.000000000)");
    REQUIRE(
        translated(
            R"(select "select"."from", "my table"."x" from "select" join "my table" on "select".k = "my table".k)") ==
        R"(select lineTable_2._"from", lineTable_1._"x" from lineTable_2 join lineTable_1 on lineTable_2.k = lineTable_1.k)");
    REQUIRE(
        translated(R"(select max("x y") from "my table" sample by 1h)") ==
        R"(select sampled_1 as _"max_x y" from (select max(_"x y") as sampled_1 from lineTable_1 group by bar(at, 1H) as at) order by at)");
    REQUIRE(translated(R"(select "my table" from cpu, "my table" where "latest" = 1)") ==
            R"(select _"my table" from cpu, lineTable_1 where _"latest" = 1)");
    REQUIRE_THROWS_AS(translated(R"(select "open from cpu)"), UserError);
    REQUIRE_THROWS_AS(translated(R"(select "" from cpu)"), UserError);
}

TEST_CASE("SAMPLE BY groups by buckets of the table's time and orders by them") {
    REQUIRE(translated("select host, max(x) as m, at as t from cpu where x > 1 sample by 30m limit 5") ==
            "select host, sampled_1 as m, at as t from (select max(x) as sampled_1 from cpu where x > 1 "
            "group by bar(at, 30m) as at, host as host) order by at limit 5");
    REQUIRE(translated("SELECT max(x) FROM cpu SAMPLE BY 1h ALIGN TO CALENDAR ORDER BY at DESC") ==
            "select sampled_1 as max_x from (select max(x) as sampled_1 from cpu group by bar(at, 1H) as at) "
            "order by at DESC");
    REQUIRE(translated("select sum(n) from (select count() as n from cpu sample by 1d)") ==
            "select sum(n) from (select sampled_1 as n from (select count(*) as sampled_1 from cpu "
            "group by bar(at, 1d) as at) order by at)");
}

TEST_CASE("LATEST is the last row of each group by time") {
    REQUIRE(translated("select * from cpu latest by host") == "select * from cpu context by host csort at limit -1");
    REQUIRE(translated("select * from cpu where x = 1 latest on seen partition by a, b limit 3") ==
            "select * from (select * from cpu where x = 1 context by a, b csort seen limit -1) limit 3");
}

TEST_CASE("selects inside one another have a limit") {
    std::string query = "select 1";
    for (int i = 0; i < 2000; ++i) query = "select * from (" + query + ")";
    REQUIRE_THROWS_AS(translated(query), UserError);
}

TEST_CASE("any prefix of a query is translated or an error") {
    const std::string query =
        "select host, max(x) from (select * from cpu latest by host) where at in ('2026-01-01') "
        "sample by 1h fill(none) align to calendar order by at limit 1, 2";
    int refused = 0;
    for (size_t i = 0; i <= query.size(); ++i) {
        try {
            const std::string sql = translated(query.substr(0, i));
            REQUIRE(sql.size() < 1000);
        } catch (const UserError&) {
            ++refused;
        }
    }
    REQUIRE(refused > 10);
}
