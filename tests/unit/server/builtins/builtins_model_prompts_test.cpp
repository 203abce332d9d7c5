// Prompts that users made.
#include <catch2/catch.hpp>

#include "tests/unit/server/builtins/models_fixture.h"

using namespace pelorus;
using Catch::Contains;

TEST_CASE("a prompt is filled as its draft or as it was published") {
    ModelsFixture users;
    users.run("admin", R"(
addMCPPrompt(name="summary", message="Sum up ${stock} from ${startDate}.", extraInfo={title: "Summary"})
publishMCPPrompts("summary")
updateMCPPrompt(name="summary", message="The high of ${stock} since ${startDate}?"))");
    const std::string args = R"({"stock":"000111", "startDate":2025.01.01})";
    CHECK(users.run("admin", "getMCPPrompt(`summary, " + args + ", true)") == "Sum up 000111 from 2025.01.01.");
    CHECK(users.run("admin", "getMCPPrompt(`summary, " + args + ")") == "The high of 000111 since 2025.01.01?");
    CHECK(users.run("admin", "listMCPPrompts().title[0]") == "Summary");
    CHECK_THROWS_WITH(users.run("admin", "getMCPPrompt(`summary)"), Contains("The argument stock"));
    CHECK_THROWS_WITH(users.run("admin", "getMCPPrompt(`summary, {stock: table(1 as x)})"), Contains("a scalar"));
}

TEST_CASE("a prompt of another is none without the right") {
    ModelsFixture users;
    users.run("admin", "addMCPPrompt(`p, \"Hello\"); publishMCPPrompts(`p)");
    CHECK_THROWS_WITH(users.run("bob", "getMCPPrompt(`p, , true)"), Contains("There is no published prompt p."));
    users.grant("bob", Right::ExecuteTool, "prompts/p");
    CHECK(users.run("bob", "getMCPPrompt(`p, , true)") == "Hello");
    CHECK_THROWS_WITH(users.run("bob", "addMCPPrompt(`q, \"x\")"), Contains("<NoPrivilege>"));
    users.grant("bob", Right::DevelopTools, "");
    CHECK_THROWS_WITH(users.run("bob", "addMCPPrompt(`q, \"\")"), Contains("message must be a text"));
    CHECK_THROWS_WITH(users.run("bob", "addMCPPrompt(`explore, \"x\")"), Contains("every node has"));
    CHECK_THROWS_WITH(users.run("bob", "addMCPPrompt(`q, repeat(\"x\", 70000))"), Contains("at most 65536 bytes"));
}
