// Functions of users as tools: what is taken, whose rights they have, and what the errors say.
#include <catch2/catch.hpp>

#include "tests/unit/server/builtins/models_fixture.h"

using namespace pelorus;
using Catch::Contains;

namespace {

// A tool that reads the table of its owner, which nobody else may read.
constexpr const char* kCountOf = R"(
share table(1 2 3 as x) as hidden
addAccessControl(`hidden)
def countOf(least=0) { return exec count(*) from objByName(`hidden) where x >= least }
addMCPTool("countOf", countOf, [`least], [`number], "Counts rows.", {title: "Count"})
)";

}  // namespace

TEST_CASE("a tool is called as its draft or as it was published") {
    ModelsFixture users;
    users.run("admin", R"(
def twice(x) { return x * 2 + 1 }
addMCPTool(name="twice", func=twice, argNames=["a"], argTypes=["number"], description="Twice and one.")
publishMCPTools("twice")
def hundred(x) { return 100 * x }
updateMCPTool(name="twice", func=hundred))");
    CHECK(users.run("admin", R"(callMCPTool(name="twice", args={"a":3}, published=true))") == "7");
    CHECK(users.run("admin", R"(callMCPTool("twice", {a: 3}))") == "300");
    CHECK(users.run("admin", "listMCPTools().args[0]") == "a:number");
    CHECK(users.run("admin", "listMCPTools().description[0]") == "Twice and one.");
    users.run("admin", R"(updateMCPTool("twice", description=" "))");
    CHECK(users.run("admin", "listMCPTools().description[0]").empty());
    users.restart();
    CHECK(users.run("admin", R"(callMCPTool("twice", {a: 3}))") == "300");
}

TEST_CASE("a tool has its owner's rights, and only who may develop calls it from a script") {
    ModelsFixture users;
    users.run("admin", kCountOf);
    const std::string call = "callMCPTool(`countOf, {least: 2})";
    CHECK(users.run("admin", call) == "2");
    CHECK(users.run("admin", "callMCPTool(`countOf)") == "3");
    CHECK_THROWS_WITH(users.run("bob", call), Contains("<NoPrivilege>Not granted to make tools"));
    users.grant("bob", Right::DevelopTools, "");
    CHECK_THROWS_WITH(users.run("bob", call), Contains("There is no tool countOf."));
    CHECK(users.run("bob", "exec count(*) from listMCPTools()") == "0");
    users.grant("bob", Right::ExecuteTool, "tools/countOf");
    CHECK_THROWS_WITH(users.run("bob", call), Contains("There is no tool countOf."));
    users.run("admin", "publishMCPTools(`countOf)");
    CHECK_THROWS_WITH(users.run("bob", call), Contains("There is no tool countOf."));
    CHECK(users.run("bob", "callMCPTool(`countOf, {least: 2}, true)") == "2");
    users.run("admin", "updateMCPTool(`countOf, description=\"A draft.\")");
    CHECK(users.run("bob", "listMCPTools().description[0]") == "Counts rows.");
    CHECK(users.run("bob", "listMCPTools().function[0]").empty());
    CHECK_THROWS_WITH(users.run("bob", "exec count(*) from hidden"), Contains("No access to shared table"));
    CHECK_THROWS_WITH(users.run("bob", "def f(x=1) { return x }\nupdateMCPTool(`countOf, f)"),
                      Contains("The tool countOf belongs to admin."));
    CHECK_THROWS_WITH(users.run("bob", "dropMCPTool(`countOf)"), Contains("belongs to admin"));
}

TEST_CASE("a tool whose owner or whose function is gone says so") {
    ModelsFixture users;
    users.grant("ann", Right::DevelopTools, "");
    users.grant("ann", Right::CreateView, "");
    users.run("ann", "def inner() { return 5 }\naddFunctionView(inner)\nundef(`inner, DEF)");
    users.run("ann", "def outer() { return inner() + 1 }\naddMCPTool(\"outer\", outer)");
    CHECK(users.run("ann", "callMCPTool(`outer)") == "6");
    users.run("ann", "dropFunctionView(`inner)");
    CHECK_THROWS_WITH(users.run("ann", "callMCPTool(`outer)"), Contains("inner"));
    users.remove("ann");
    CHECK_THROWS_WITH(users.run("admin", "callMCPTool(`outer)"), Contains("is no user any more"));
    users.run("admin", "dropMCPTool(`outer)");
}

TEST_CASE("what is no tool is refused in words") {
    ModelsFixture users;
    const auto refused = [&](const std::string& script, const std::string& words) {
        INFO(script);
        CHECK_THROWS_WITH(users.run("admin", "def f(x) { return x }\n" + script), Contains(words));
    };
    refused("addMCPTool(\"\", f)", "name must be");
    refused("addMCPTool(\"a b\", f)", "name must be");
    refused("addMCPTool(\"a/b\", f)", "name must be");
    refused("addMCPTool(repeat(\"a\", 65), f)", "name must be");
    refused("addMCPTool(`query, f)", "every node has");
    refused("addMCPTool(`t, sum)", "sum cannot be a tool");
    refused("addMCPTool(`t, f{1})", "cannot be a tool");
    refused("addMCPTool(`t, \"f\")", "func must be a function of a script");
    refused("addMCPTool(`t, f, `a`b, `number`number)", "takes 1");
    refused("addMCPTool(`t, f, [])", "takes 1");
    refused("addMCPTool(`t, f, [`a], `number`number)", "a type for each of the 1 arguments, but it has 2");
    refused("addMCPTool(`t, f, [`a], [`DICT])", "DICT is no type");
    refused("addMCPTool(`t, f, [\"a b\"])", "different names");
    refused("addMCPTool(`t, f, [`a], [`number], repeat(\"x\", 20000))", "at most 16384 bytes");
    refused("addMCPTool(`t, f, [`a], [`number], \"x\", {icon: \"x\"})", "the key title only");
    refused("addMCPTool(`t, f); addMCPTool(`t, f)", "The tool t already exists.");
    refused("callMCPTool(`none)", "There is no tool none.");
    refused("callMCPTool(char(0))", "of such a name");
    refused("callMCPTool(`t, {y: 1})", "has no argument y");
    refused("callMCPTool(`t, {x: table(1 as a)})", "cannot be an argument");
    refused("callMCPTool(`t)", "The argument x of the tool t is missing.");
    refused("updateMCPTool(`t, argNames=`a`b)", "takes 1");
    refused("publishMCPTools(`t`none)", "There is no tool none.");
    CHECK(users.run("admin", "exec count(*) from listMCPTools() where isValid(publishTime)") == "0");
}
