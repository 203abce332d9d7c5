#include "postgres/steps/point_lookup.h"

#include "tests/unit/postgres/answers.h"

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
