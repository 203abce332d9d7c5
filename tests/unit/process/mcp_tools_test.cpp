// Tools say which arguments they take, and take no others; those about the language need no database.
#include "server/mcp/mcp_tools.h"

#include <catch2/catch.hpp>

#include "runtime/function/principal.h"
#include "server/session/engine_host.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    McpJson call(const std::string& tool, const McpJson& arguments) {
        Request request{principalOfModel(*Principal::owner())};
        const std::unique_ptr<ScriptSession> own = EngineHost(services).newSession();
        return callMcpTool(tool, arguments, {services, request, *own});
    }
    std::string text(const std::string& tool, const McpJson& arguments) {
        return call(tool, arguments)["content"][0]["text"].get<std::string>();
    }
};

}  // namespace

TEST_CASE("each tool has a schema of its arguments and only reads") {
    const McpJson tools = mcpToolList();
    REQUIRE(tools.size() == 6);
    for (const McpJson& tool : tools) {
        CHECK(isMcpTool(tool["name"].get<std::string>()));
        CHECK(tool["inputSchema"]["type"] == "object");
        CHECK(tool["annotations"]["readOnlyHint"] == true);
        for (const McpJson& name : tool["inputSchema"]["required"])
            CHECK(tool["inputSchema"]["properties"].contains(name.get<std::string>()));
    }
    CHECK_FALSE(isMcpTool("drop"));
}

TEST_CASE("help gives a function's page, or the functions about a word") {
    Bench bench;
    CHECK(bench.text("help", {{"name", "wavg"}}).find("wavg(X, Y)") != std::string::npos);
    CHECK(bench.text("help", {{"name", "weighted"}}).find("wavg") != std::string::npos);
    CHECK(bench.call("help", {{"name", "zzzz"}})["isError"] == true);
    CHECK(bench.text("examples", {{"topic", "wavg"}}).find("->") != std::string::npos);
}

TEST_CASE("queries give rows, and errors are answers that the model reads") {
    Bench bench;
    CHECK(bench.call("query", {{"query", "select 1 as a, \"x\" as b"}})["structuredContent"]["rows"] ==
          McpJson::parse(R"([[1,"x"]])"));
    CHECK(bench.call("query", {{"query", "select nothing from nowhere"}})["isError"] == true);
    CHECK(bench.call("query", {{"query", "x = 3"}})["isError"] == true);
    CHECK(bench.call("query", {{"query", "select * from loadText(\"/etc/hostname\")"}})["isError"] == true);
    CHECK_THROWS_AS(bench.call("query", {{"query", "select 1"}, {"maxRows", 5000}}), McpError);
    CHECK_THROWS_AS(bench.call("query", {{"text", "select 1"}}), McpError);
    CHECK_THROWS_AS(bench.call("query", McpJson::array()), McpError);
    CHECK_THROWS_AS(bench.call("drop", McpJson::object()), McpError);
}
