#include "apps/library/brief_statement.h"

#include <catch2/catch.hpp>
#include <string>

#include "apps/process/wiring.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/principal.h"

namespace pelorus {

TEST_CASE("one row of scalars for a table that the session alone has is brief, and nothing else") {
    registerAllFunctions();
    Services services;
    addSharedObjects(services);
    Session session(services);
    Request request(Principal::owner());
    Context context(services, request);
    evaluate(
        "t = table(1:0, `a`b, [INT, STRING])\nkeyed = keyedTable(`a, 1:0, `a`b, [INT, STRING])\n"
        "stream = streamTable(1:0, `a`b, [INT, STRING])\nshare table(1:0, `a`b, [INT, STRING]) as both\nx = 1\nv = 1 "
        "2\n"
        "def f(x) { return x }",
        session, context);
    const auto isBrief = [&](const std::string& script) {
        return isBriefInsert(parseScript(script, rolesIn(session)), session);
    };
    CHECK(isBrief("insert into t values(x, `a)"));
    CHECK(isBrief("insert into t (b, a) values('text', 7)"));
    CHECK(isBrief("insert into keyed values(x, `a)"));
    CHECK_FALSE(isBrief("insert into t values(v, `a`b)"));
    CHECK_FALSE(isBrief("insert into t values(f(x), `a)"));
    CHECK_FALSE(isBrief("insert into t values(x, `a), (x, `b)"));
    CHECK_FALSE(isBrief("insert into t select 1, `a from t"));
    CHECK_FALSE(isBrief("insert into both values(x, `a)"));
    CHECK_FALSE(isBrief("insert into stream values(x, `a)"));
    CHECK_FALSE(isBrief("insert into nothing values(x, `a)"));
    CHECK_FALSE(isBrief("insert into t values(x, `a); x"));
    CHECK_FALSE(isBrief("select * from t"));
    CHECK_FALSE(isBrief("1"));
}

}  // namespace pelorus
