// Who publishes, withdraws and drops, and what lists show.
#include <catch2/catch.hpp>

#include "tests/unit/server/builtins/models_fixture.h"

using namespace pelorus;
using Catch::Contains;

TEST_CASE("who may make tools may not publish them, and the other way round") {
    ModelsFixture users;
    users.grant("ann", Right::DevelopTools, "");
    users.grant("eve", Right::PublishTools, "");
    users.run("ann", "def f() { return 1 }\naddMCPTool(`f, f)\naddMCPTool(`g, f)");
    CHECK_THROWS_WITH(users.run("ann", "publishMCPTools()"), Contains("<NoPrivilege>Not granted to publish"));
    CHECK(users.run("eve", "publishMCPTools()") == "[\"f\",\"g\"]");
    CHECK_THROWS_WITH(users.run("ann", "dropMCPTool(`f)"), Contains("The tool f is published."));
    CHECK(users.run("eve", "withdrawMCPTools([`f])") == "[\"f\"]");
    CHECK_THROWS_WITH(users.run("eve", "withdrawMCPTools(`f)"), Contains("There is no published tool f."));
    CHECK(users.run("ann", "dropMCPTool(`f)") == "f");
    CHECK(users.run("ann", "exec name from listMCPTools()") == "[\"g\"]");
    CHECK(users.run("ann", "exec isValid(publishTime) from listMCPTools()") == "[true]");
    CHECK(users.run("bob", "exec count(*) from listMCPTools()") == "0");
    CHECK_THROWS_WITH(users.run("eve", "publishMCPTools(1)"), Contains("names must be"));
}
