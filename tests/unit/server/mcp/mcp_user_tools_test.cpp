// Published tools and prompts as models see them.
#include "server/mcp/mcp_user_tools.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/builtins/models_fixture.h"

using namespace pelorus;

TEST_CASE("a model sees published tools that its user may use, without a database none") {
    const Services none;
    Request request(Principal::owner());
    Context context(none, request);
    CHECK(mcpPublishedTools(context).empty());
    CHECK(mcpPublishedPrompts(context).empty());
    CHECK_FALSE(mcpPublished(context, McpEntry::Kind::Tool, "f"));
    CHECK_FALSE(mcpPublished(context, McpEntry::Kind::Tool, std::string("f\0g", 3)));
}

TEST_CASE("names of tools are short and plain") {
    CHECK(isMcpName("a.b-c_1"));
    for (const std::string& name : {std::string(), std::string("a b"), std::string("a/b"), std::string("a\0b", 3),
                                    std::string("\xc3\xa9"), std::string(65, 'a')})
        CHECK_FALSE(isMcpName(name));
}

TEST_CASE("owners use their tools, others by MCP_EXEC, guests nobody's") {
    const McpEntry tool{.kind = McpEntry::Kind::Tool, .name = "f", .owner = "ann"};
    const Principal ann("ann", {}), bob("bob", {}), developer("dev", {.ownsAllData = true});
    CHECK(mayUse(ann, tool));
    CHECK_FALSE(mayUse(bob, tool));
    CHECK_FALSE(mayUse(developer, tool));
    CHECK(mayUse(*Principal::owner(), tool));
    const McpEntry ofGuest{.kind = McpEntry::Kind::Tool, .name = "f", .owner = "guest"};
    CHECK_FALSE(mayUse(*Principal::guest(), ofGuest));
    CHECK(mayUseDraft(ann, tool));
    CHECK_FALSE(mayUseDraft(bob, tool));
    CHECK(mayUseDraft(Principal("root", {.administers = true}), tool));
    CHECK_FALSE(mayUseDraft(*Principal::guest(), ofGuest));
}
