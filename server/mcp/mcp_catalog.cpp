#include "server/mcp/mcp_catalog.h"

#include <fmt/format.h>

#include <charconv>

#include "common/error.h"
#include "common/time/local_clock.h"

namespace pelorus {

namespace {

using Kind = McpEntry::Kind;

constexpr int kAttempts = 20;

// Keys of the store. In files: never change.
//   mcp/draft/tools/NAME      mcp/draft/prompts/NAME      the drafts
//   mcp/published/tools/NAME  mcp/published/prompts/NAME  what models see
//   mcp/count/tools           mcp/count/prompts           the number of drafts, in decimal
std::string prefixOf(Kind kind, McpVersion version) {
    return fmt::format("mcp/{}/{}s/", version == McpVersion::Draft ? "draft" : "published", wordOf(kind));
}

std::string keyOf(Kind kind, const std::string& name, McpVersion version) {
    return prefixOf(kind, version) + name;
}

// The number of drafts with the write that changes it.
struct Count {
    Count(MetaStore& store, Kind kind) : key(fmt::format("mcp/count/{}s", wordOf(kind))) {
        const std::optional<MetaEntry> entry = store.get(key);
        if (!entry) return;
        revision = entry->revision;
        std::from_chars(entry->value.data(), entry->value.data() + entry->value.size(), number);
    }
    MetaCondition unchanged() const { return {key, revision}; }
    MetaWrite become(size_t count) const { return {key, std::to_string(count)}; }

    std::string key;
    uint64_t revision = 0;
    size_t number = 0;
};

// Tries until `attempt` has committed.
void untilDone(const std::function<bool()>& attempt) {
    for (int i = 0; i < kAttempts; ++i) {
        if (attempt()) return;
    }
    throw UserError("The tools of language models change all the time.", "Try again.");
}

[[noreturn]] void refuseMissing(Kind kind, const std::string& name) {
    throw UserError(0, fmt::format("There is no {} {}.", wordOf(kind), name),
                    kind == Kind::Tool ? "listMCPTools() shows them." : "listMCPPrompts() shows them.");
}

}  // namespace

std::optional<MetaEntry> McpCatalog::stored(Kind kind, const std::string& name, McpVersion version) const {
    return store_.get(keyOf(kind, name, version));
}

MetaEntry McpCatalog::draft(Kind kind, const std::string& name) const {
    std::optional<MetaEntry> entry = stored(kind, name, McpVersion::Draft);
    if (!entry) refuseMissing(kind, name);
    return *std::move(entry);
}

std::optional<McpEntry> McpCatalog::find(Kind kind, const std::string& name, McpVersion version) const {
    const std::optional<MetaEntry> entry = stored(kind, name, version);
    return entry ? std::optional(McpEntry::decode(kind, name, entry->value)) : std::nullopt;
}

std::vector<McpEntry> McpCatalog::all(Kind kind, McpVersion version) const {
    const std::string prefix = prefixOf(kind, version);
    std::vector<McpEntry> entries;
    for (const MetaEntry& entry : store_.range(prefix).entries) {
        try {
            entries.push_back(McpEntry::decode(kind, entry.key.substr(prefix.size()), entry.value));
        } catch (const UserError&) {
            // Of a newer version: unknown to this one.
        }
    }
    return entries;
}

void McpCatalog::add(const McpEntry& draft) {
    const std::string key = keyOf(draft.kind, draft.name, McpVersion::Draft);
    untilDone([&] {
        const Count count(store_, draft.kind);
        if (store_.get(key)) {
            throw UserError(0, fmt::format("The {} {} already exists.", wordOf(draft.kind), draft.name),
                            draft.kind == Kind::Tool ? "updateMCPTool changes it." : "updateMCPPrompt changes it.");
        }
        if (count.number >= McpEntryBounds::kMaxEntries) {
            throw UserError(
                fmt::format("There are {} {}s, the most that a database keeps.", count.number, wordOf(draft.kind)),
                "Drop one that nobody uses.");
        }
        return store_.transact({{key, 0}, count.unchanged()}, {{key, draft.encode()}, count.become(count.number + 1)})
            .done;
    });
}

void McpCatalog::update(Kind kind, const std::string& name, const std::function<void(McpEntry& draft)>& change) {
    untilDone([&] {
        const MetaEntry entry = draft(kind, name);
        McpEntry changed = McpEntry::decode(kind, name, entry.value);
        change(changed);
        return store_.transact({{entry.key, entry.revision}}, {{entry.key, changed.encode()}}).done;
    });
}

void McpCatalog::drop(Kind kind, const std::string& name, const std::function<void(const McpEntry& draft)>& mayDrop) {
    const std::string published = keyOf(kind, name, McpVersion::Published);
    untilDone([&] {
        const Count count(store_, kind);
        const MetaEntry entry = draft(kind, name);
        mayDrop(McpEntry::decode(kind, name, entry.value));
        if (store_.get(published)) {
            throw UserError(0, fmt::format("The {} {} is published.", wordOf(kind), name),
                            fmt::format("Withdraw it first: withdrawMCP{}s(\"{}\").",
                                        kind == Kind::Tool ? "Tool" : "Prompt", name));
        }
        return store_
            .transact({{entry.key, entry.revision}, {published, 0}, count.unchanged()},
                      {{entry.key, std::nullopt}, count.become(count.number > 0 ? count.number - 1 : 0)})
            .done;
    });
}

void McpCatalog::publish(Kind kind, const std::string& name) {
    untilDone([&] {
        const MetaEntry entry = draft(kind, name);
        McpEntry published = McpEntry::decode(kind, name, entry.value);
        published.publishedMillis = localMillis();
        return store_
            .transact({{entry.key, entry.revision}}, {{keyOf(kind, name, McpVersion::Published), published.encode()}})
            .done;
    });
}

bool McpCatalog::withdraw(Kind kind, const std::string& name) {
    bool wasPublished = false;
    untilDone([&] {
        const std::optional<MetaEntry> entry = stored(kind, name, McpVersion::Published);
        wasPublished = entry.has_value();
        return !entry || store_.transact({{entry->key, entry->revision}}, {{entry->key, std::nullopt}}).done;
    });
    return wasPublished;
}

}  // namespace pelorus
