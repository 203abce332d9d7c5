#include "apps/workbench/open_runner.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "devtools/lsp/feature.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/apps/console_session.h"

using namespace pelorus;

TEST_CASE("without an address or a folder nothing is opened") {
    try {
        openRunner(Json::object(), {});
        FAIL("something was opened");
    } catch (const RequestError& error) {
        CHECK(error.code == kInvalidParams);
        CHECK(std::string(error.what()) == "pelorus/connect needs the address of a node, or a folder.");
    }
    CHECK_THROWS_WITH(openRunner({{"folder", 3}}, {}), "folder must be a string.");
    CHECK_THROWS_AS(openRunner({{"address", "no port"}}, {}), UserError);
}

TEST_CASE("a node that is not there is an error at once") {
    // Port 1 of this machine: nobody listens.
    CHECK_THROWS_AS(openRunner({{"address", "127.0.0.1:1"}}, {}), SystemError);
}

TEST_CASE("a script runs in one session, and calls in another one of the same database") {
    consoleSession();  // functions are registered once per process
    std::string printed;
    const auto runner = openRunner({{"folder", ""}}, {[&](std::string_view line) { printed += line; }, {}});
    CHECK(runner->name() == "a temporary database");
    std::vector<Value> shown;
    runner->run("orValue = 5\nprint(\"told\")\norValue + 1", [&](const Value& value) { shown.push_back(value); });
    CHECK(printed == "told");
    REQUIRE(!shown.empty());
    CHECK(shown.back().asLong() == 6);
    CHECK(runner->call("add", {Value::ofInt(1), Value::ofInt(2)}).asLong() == 3);
    CHECK_THROWS_AS(runner->call("def () { return orValue }", {}), UserError);
    CHECK_THROWS_AS(runner->run("1 + undefinedThing", [](const Value&) {}), UserError);
}
