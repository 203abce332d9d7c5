#include "server/postgres/postgres_session.h"

#include <catch2/catch.hpp>

using namespace pelorus::postgres;

TEST_CASE("facts and style of a session follow its settings") {
    SessionFacts facts;
    facts.user = "ann";
    PostgresSession session(std::move(facts));
    CHECK(session.facts().searchPath == std::vector<std::string>{"ann", "public"});
    CHECK(session.style().zone == nullptr);
    session.set("timezone", "Europe/Berlin", false);
    session.set("extra_float_digits", "-3", false);
    session.set("search_path", "trades", false);
    session.set("bytea_output", "escape", false);
    CHECK(session.style().zone != nullptr);
    CHECK(session.style().extraFloatDigits == -3);
    CHECK(session.style().escapesBytes);
    CHECK(session.facts().searchPath == std::vector<std::string>{"trades"});
    CHECK(session.facts().setting("TimeZone") == "Europe/Berlin");
}

TEST_CASE("what was sent together is taken back together") {
    PostgresSession session({});
    session.set("jit", "on", false);
    session.endImplicit(false);
    CHECK(session.settings.get("jit") == "off");
    session.set("jit", "on", false);
    session.beginBlock();
    session.set("jit", "off", false);
    session.set("timezone", "Europe/Berlin", true);
    session.endBlock(false);
    CHECK(session.settings.get("jit") == "on");
    CHECK(session.style().zone == nullptr);
}
