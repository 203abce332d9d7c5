#include "postgres/catalog/table_names.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("tables are found along the search path, whatever the case of their letters") {
    fillTables();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    CHECK(findTable("", "PGITEMS", {}, context, -1).name == "pgItems");
    CHECK(findTable("public", "pgItems", {}, context, -1).columns.size() == 5);
    SessionFacts elsewhere;
    elsewhere.searchPath = {"nowhere"};
    CHECK_THROWS_AS(findTable("", "pgItems", elsewhere, context, -1), SqlError);
    CHECK_THROWS_AS(findTable("nowhere", "pgItems", {}, context, -1), SqlError);
    CHECK(visibleSchemas(context)[0] == "public");
}

TEST_CASE("the current schema is the first one of the search path that is there") {
    fillTables();
    Request request(Principal::owner());
    Context context(wholeProcess().services(), request);
    SessionFacts session;
    session.searchPath = {"admin", "PUBLIC", "nothing"};
    CHECK(schemasOfPath(session, context) == std::vector<std::string>{"public"});
}
