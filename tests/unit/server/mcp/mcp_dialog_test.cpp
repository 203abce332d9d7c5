// The dialog answers every method of the protocol that it names, and no notice.
#include "server/mcp/mcp_dialog.h"

#include <catch2/catch.hpp>

#include "runtime/function/principal.h"

using namespace pelorus;

namespace {

const McpRunner kNobody = [](std::string_view, const std::function<void(const McpWork&)>&) {
    throw std::runtime_error("nobody works here");
};

// Works in a process that has no database.
const McpRunner kWithoutData = [](std::string_view, const std::function<void(const McpWork&)>& work) {
    class NoSession final : public ScriptSession {
        Value run(Request&, std::string_view) override { return Value(); }
        Value call(Request&, std::string_view, std::vector<Value>) override { return Value(); }
        Value apply(Request&, const Function&, std::vector<Value>) override { return Value(); }
        void setVariable(const std::string&, Value) override {}
        void clear() override {}
    };
    const Services services;
    Request request(Principal::owner());
    NoSession session;
    work({services, request, session});
};

McpJson answerTo(const std::string& method, const std::string& parameters = "{}", const McpRunner& run = kWithoutData) {
    const auto answer =
        answerMcp(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + parameters + "}", run);
    REQUIRE(answer);
    return McpJson::parse(*answer);
}

}  // namespace

TEST_CASE("a client gets its version of the protocol, or the newest") {
    CHECK(answerTo("initialize", R"({"protocolVersion":"2024-11-05"})")["result"]["protocolVersion"] == "2024-11-05");
    CHECK(answerTo("initialize", R"({"protocolVersion":"1999-01-01"})")["result"]["protocolVersion"] == "2025-06-18");
    CHECK(answerTo("initialize")["result"]["serverInfo"]["name"] == "pelorus");
    CHECK(answerTo("ping")["result"] == McpJson::object());
}

TEST_CASE("prompts take their argument, and are refused without") {
    CHECK(answerTo("prompts/list")["result"]["prompts"].size() == 2);
    const McpJson prompt = answerTo("prompts/get", R"({"name":"explore","arguments":{"database":"dfs://{}"}})");
    const auto text = prompt["result"]["messages"][0]["content"]["text"].get<std::string>();
    CHECK(text.find("dfs://{}") != std::string::npos);
    CHECK(answerTo("prompts/get", R"({"name":"explore"})")["error"]["code"] == McpError::kParameters);
    CHECK(answerTo("prompts/get", R"({"name":"other"})")["error"]["code"] == McpError::kParameters);
}

TEST_CASE("notices have no answer, and failures are answers") {
    CHECK_FALSE(answerMcp(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", kNobody));
    CHECK(answerTo("resources/list", "{}", kNobody)["error"]["message"] == "nobody works here");
    CHECK(answerTo("tools/call", R"({"name":"databases"})", kNobody)["error"]["code"] == -32603);
    CHECK(answerTo("tools/call", R"({"name":"other"})")["error"]["code"] == McpError::kParameters);
    CHECK(answerTo("tools/call", R"({"name":"a\u0000b"})")["error"]["code"] == McpError::kParameters);
    CHECK(answerTo("tools/list")["result"]["tools"].size() == 6);
    CHECK(answerTo("sampling/createMessage")["error"]["code"] == McpError::kMethod);
    const auto broken = answerMcp("{", kNobody);
    REQUIRE(broken);
    CHECK(McpJson::parse(*broken)["id"].is_null());
}
