// The stored form of tools and prompts.
#include "server/mcp/mcp_entry.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("an entry comes back as it was stored") {
    McpEntry entry{.kind = McpEntry::Kind::Prompt,
                   .name = "p",
                   .owner = "ann",
                   .title = "A title",
                   .description = "What it is",
                   .modifiedMillis = 5,
                   .publishedMillis = 6,
                   .text = "Hello ${you}",
                   .arguments = {{"you", "string", true}},
                   .function = "bytes"};
    const std::string stored = entry.encode();
    const McpEntry back = McpEntry::decode(McpEntry::Kind::Prompt, "p", stored);
    CHECK(back.path() == "prompts/p");
    CHECK(back.encode() == stored);
    CHECK(back.arguments.at(0).isOptional);
    CHECK_THROWS_AS(McpEntry::decode(McpEntry::Kind::Tool, "p", stored), Error);
    for (size_t size = 0; size + entry.function.size() < stored.size(); ++size)
        CHECK_THROWS_AS(McpEntry::decode(McpEntry::Kind::Prompt, "p", std::string_view(stored).substr(0, size)), Error);
}
