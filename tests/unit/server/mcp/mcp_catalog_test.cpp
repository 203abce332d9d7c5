// Drafts and published versions of tools in the metadata store.
#include "server/mcp/mcp_catalog.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/version/metadata_embedded.h"

using namespace pelorus;

namespace {

using Kind = McpEntry::Kind;

McpEntry promptOf(const std::string& name, const std::string& text) {
    return {.kind = Kind::Prompt, .name = name, .owner = "ann", .text = text};
}

std::string textOf(const McpCatalog& catalog, McpVersion version) {
    const auto entry = catalog.find(Kind::Prompt, "p", version);
    return entry ? entry->text : "none";
}

const auto kAnybody = [](const McpEntry&) {};

}  // namespace

TEST_CASE("a published version stays as it was until it is published again or withdrawn") {
    const auto store = memoryMetaStore();
    McpCatalog catalog(*store);
    catalog.add(promptOf("p", "one"));
    CHECK(textOf(catalog, McpVersion::Published) == "none");
    catalog.publish(Kind::Prompt, "p");
    catalog.update(Kind::Prompt, "p", [](McpEntry& draft) { draft.text = "two"; });
    CHECK(textOf(catalog, McpVersion::Draft) == "two");
    CHECK(textOf(catalog, McpVersion::Published) == "one");
    CHECK(catalog.all(Kind::Prompt, McpVersion::Published).at(0).publishedMillis > 0);
    catalog.publish(Kind::Prompt, "p");
    CHECK(textOf(catalog, McpVersion::Published) == "two");
    CHECK_THROWS_AS(catalog.drop(Kind::Prompt, "p", kAnybody), UserError);
    CHECK(catalog.withdraw(Kind::Prompt, "p"));
    CHECK_FALSE(catalog.withdraw(Kind::Prompt, "p"));
    catalog.drop(Kind::Prompt, "p", kAnybody);
    CHECK(textOf(catalog, McpVersion::Draft) == "none");
}

TEST_CASE("names are taken once, and belong to one kind") {
    const auto store = memoryMetaStore();
    McpCatalog catalog(*store);
    catalog.add(promptOf("p", "one"));
    CHECK_THROWS_WITH(catalog.add(promptOf("p", "two")), "The prompt p already exists.");
    CHECK_FALSE(catalog.find(Kind::Tool, "p", McpVersion::Draft));
    CHECK_THROWS_AS(catalog.publish(Kind::Tool, "p"), UserError);
    CHECK_THROWS_AS(catalog.update(Kind::Prompt, "q", [](McpEntry&) {}), UserError);
}

TEST_CASE("the number of prompts is bounded, and dropped ones make room") {
    const auto store = memoryMetaStore();
    McpCatalog catalog(*store);
    for (size_t i = 0; i < McpEntryBounds::kMaxEntries; ++i) catalog.add(promptOf("p" + std::to_string(i), "x"));
    CHECK_THROWS_AS(catalog.add(promptOf("more", "x")), UserError);
    catalog.drop(Kind::Prompt, "p7", kAnybody);
    catalog.add(promptOf("more", "x"));
    CHECK(catalog.all(Kind::Prompt, McpVersion::Draft).size() == McpEntryBounds::kMaxEntries);
}

TEST_CASE("a change that is refused changes nothing, and foreign bytes are left out") {
    const auto store = memoryMetaStore();
    McpCatalog catalog(*store);
    catalog.add(promptOf("p", "one"));
    CHECK_THROWS_AS(catalog.update(Kind::Prompt, "p", [](McpEntry&) { throw UserError("no"); }), UserError);
    CHECK_THROWS_AS(catalog.drop(Kind::Prompt, "p", [](const McpEntry&) { throw UserError("no"); }), UserError);
    CHECK(textOf(catalog, McpVersion::Draft) == "one");
    store->transact({}, {{"mcp/draft/prompts/q", std::string("of a newer version")}});
    CHECK(catalog.all(Kind::Prompt, McpVersion::Draft).size() == 1);
}
