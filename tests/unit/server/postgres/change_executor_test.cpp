#include "server/postgres/change_executor.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/postgres/postgres_exchange.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

std::string statesOf(std::initializer_list<std::string_view> texts) {
    PostgresExchange exchange;
    std::string messages = startup("admin");
    for (const std::string_view text : texts) messages += query(text);
    return exchange(messages + message('X', "")).states();
}

}  // namespace

TEST_CASE("changes are refused where their transaction cannot have them") {
    CHECK(statesOf({"begin read only", "insert into nothing values (1)"}) == "42P01");
    CHECK(statesOf({"begin read only", "drop table nothing"}) == "25006");
    CHECK(statesOf({"begin", "drop table if exists nothing"}).empty());
    CHECK(statesOf({"drop table nothing"}) == "42P01");
    CHECK(statesOf({"alter table nothing add column a int"}) == "42P01");
    CHECK(statesOf({"grant select on nothing to public"}) == "0A000");
}
