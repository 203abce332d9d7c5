#include "postgres/definition/query_table.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"

using namespace pelorus::postgres;

namespace {

std::optional<QueryTable> read(const char* text) {
    return queryTableOf(*parseStatements(text)[0]);
}

std::string stateOf(const char* text) {
    try {
        read(text);
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

}  // namespace

TEST_CASE("a table of a query is read in both of its forms") {
    const auto made = read("create temp table if not exists s.t (a, b) using rows as select 1, 2 with no data");
    REQUIRE(made);
    CHECK((made->schema == "s" && made->name == "t" && made->method == "rows"));
    CHECK(made->columns == std::vector<std::string>{"a", "b"});
    CHECK((made->mayExist && made->isTemporary && !made->hasRows));
    const auto into = read("select x into t from y");
    REQUIRE(into);
    CHECK((into->name == "t" && into->schema.empty() && into->hasRows && !into->isTemporary));
    CHECK_FALSE(bodyOf(*into->query->tree).contains("intoClause"));
    CHECK_FALSE(read("select 1"));
    CHECK_FALSE(read("create table t (a int)"));
    CHECK(stateOf("create materialized view v as select 1") == "0A000");
    CHECK(stateOf("create table t as execute p") == "0A000");
}

TEST_CASE("a table of a query is made, filled and removed by statements of their own") {
    const auto table = read("create table \"S\".\"a\"\"b\" (x) as select 1, 2, null");
    REQUIRE(table);
    const std::vector<OutputColumn> columns = {{.label = "p", .type = oid::kNumeric, .modifier = numericModifier(6, 2)},
                                               {.label = "q\"", .type = oid::kInt4},
                                               {.label = "u", .type = oid::kUnknown}};
    const auto creation = creationOf(*table, columns);
    const auto& body = bodyOf(*creation->tree);
    CHECK(textOf(body["relation"], "schemaname") == "S");
    CHECK(textOf(body["relation"], "relname") == "a\"b");
    REQUIRE(body["tableElts"].size() == 3);
    const char* names[] = {"x", "q\"", "u"};
    const Oid types[] = {oid::kNumeric, oid::kInt4, oid::kText};
    for (size_t i = 0; i < 3; ++i) {
        CHECK(textOf(bodyOf(body["tableElts"][i]), "colname") == names[i]);
        CHECK(writtenType(bodyOf(body["tableElts"][i])["typeName"]).type == types[i]);
    }
    CHECK(fillingOf(*table)->tag == "INSERT");
    CHECK(textOf(bodyOf(*fillingOf(*table)->tree)["relation"], "relname") == "a\"b");
    CHECK(removalOf(*table)->tag == "DROP TABLE");
    CHECK_THROWS_AS(creationOf(*table, {}), SqlError);
}
