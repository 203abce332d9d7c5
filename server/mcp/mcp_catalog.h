// The tools and prompts that users made for language models: drafts, which their authors change, and published
// versions, which models see.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "server/mcp/mcp_entry.h"

namespace pelorus {

enum class McpVersion : uint8_t { Draft, Published };

// A view of the metadata store, which every node shares; it holds nothing itself, so that each call sees the newest
// state. Thread-safe. All calls throw SystemError when the store does not answer.
class McpCatalog {
public:
    // `store` outlives the object.
    explicit McpCatalog(MetaStore& store) : store_(store) {}

    std::optional<McpEntry> find(McpEntry::Kind kind, const std::string& name, McpVersion version) const;
    // Returns the entries of a kind in the order of their names. Those of a newer version of Pelorus are left out.
    std::vector<McpEntry> all(McpEntry::Kind kind, McpVersion version) const;

    // Adds a draft. Throws UserError when the name is taken, or McpEntryBounds::kMaxEntries are there.
    void add(const McpEntry& draft);
    // Changes a draft: `change` gets it as it is, may throw, and is called again when another change came first.
    // Throws UserError when there is none.
    void update(McpEntry::Kind kind, const std::string& name, const std::function<void(McpEntry& draft)>& change);
    // Removes a draft that `mayDrop` does not refuse by throwing. Throws UserError when there is none, or a version of
    // it is published.
    void drop(McpEntry::Kind kind, const std::string& name, const std::function<void(const McpEntry& draft)>& mayDrop);
    // Publishes the draft as it is now, in place of a version that was published before.
    void publish(McpEntry::Kind kind, const std::string& name);
    // Withdraws the published version; returns false when there was none.
    bool withdraw(McpEntry::Kind kind, const std::string& name);

private:
    std::optional<MetaEntry> stored(McpEntry::Kind kind, const std::string& name, McpVersion version) const;
    MetaEntry draft(McpEntry::Kind kind, const std::string& name) const;

    MetaStore& store_;
};

}  // namespace pelorus
