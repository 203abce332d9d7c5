// Messages of language models are parsed strictly, and answers stand on one line.
#include "server/mcp/mcp_message.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

int codeOf(const std::string& bytes) {
    try {
        parseMcpMessage(bytes);
    } catch (const McpError& error) {
        return error.code();
    }
    return 0;
}

}  // namespace

TEST_CASE("a request has an id and a method, a notice no id") {
    const McpMessage request =
        parseMcpMessage(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"query"}})");
    CHECK(request.id == "a");
    CHECK_FALSE(request.isNotice);
    CHECK(request.parameters["name"] == "query");
    CHECK(parseMcpMessage(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").isNotice);
    CHECK(parseMcpMessage(R"({"jsonrpc":"2.0","id":1,"result":{}})").isNotice);
}

TEST_CASE("what is no message is told by the code of its fault") {
    CHECK(codeOf("nothing") == McpError::kParse);
    CHECK(codeOf(std::string(200, '[')) == McpError::kParse);
    CHECK(codeOf("[]") == McpError::kRequest);
    CHECK(codeOf(R"({"id":1,"method":"ping"})") == McpError::kRequest);
    CHECK(codeOf(R"({"jsonrpc":"2.0","id":null,"method":"ping"})") == McpError::kRequest);
    CHECK(codeOf(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})") == McpError::kRequest);
    CHECK(codeOf(R"({"jsonrpc":"2.0","id":1})") == McpError::kRequest);
    CHECK(codeOf(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":3})") == McpError::kParameters);
    CHECK(codeOf(R"({"jsonrpc":"2.0","id":"]]]]\"[[","method":"ping"})") == 0);
}

TEST_CASE("arguments have their types and bounds") {
    const McpJson arguments = McpJson::parse(R"({"text":"a","number":3,"half":1.5,"whole":2.0})");
    CHECK(mcpString(arguments, "text") == "a");
    CHECK(mcpString(arguments, "other", "b") == "b");
    CHECK_THROWS_AS(mcpString(arguments, "other"), McpError);
    CHECK_THROWS_AS(mcpString(arguments, "number"), McpError);
    CHECK(mcpInteger(arguments, "number", 1, 5, 4) == 3);
    CHECK(mcpInteger(arguments, "whole", 1, 5, 4) == 2);
    CHECK(mcpInteger(arguments, "other", 1, 5, 4) == 4);
    CHECK_THROWS_AS(mcpInteger(arguments, "number", 4, 5, 4), McpError);
    CHECK_THROWS_AS(mcpInteger(arguments, "half", 1, 5, 4), McpError);
    CHECK_THROWS_AS(mcpInteger(arguments, "text", 1, 5, 4), McpError);
}

TEST_CASE("answers are one line, whatever bytes they hold") {
    CHECK(mcpAnswer(3, {{"text", "a\nb"}}) == R"({"jsonrpc":"2.0","id":3,"result":{"text":"a\nb"}})");
    CHECK(mcpFailure(nullptr, -32700, "\xff").find('\n') == std::string::npos);
}
