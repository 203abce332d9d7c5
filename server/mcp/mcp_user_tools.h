// Tools and prompts that users made, as models and scripts use them: who may, and calls with the rights of their
// owners.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/function/context.h"
#include "server/mcp/mcp_catalog.h"
#include "server/mcp/mcp_message.h"

namespace pelorus {

// Returns the store of tools and prompts; null in a process without one, and, unless `create`, where nothing has been
// stored yet.
MetaStore* mcpStore(Context& context, bool create);

// Returns whether the caller may use a tool or prompt: its owner, and who has MCP_EXEC for it.
bool mayUse(const Principal& caller, const McpEntry& entry);
// Returns whether the caller may use a draft, which nobody has published: its owner, and administrators.
bool mayUseDraft(const Principal& caller, const McpEntry& draft);
// Returns whether a name is one that an entry can have: letters, digits, _, - and . of ASCII, at most 64.
bool isMcpName(std::string_view name);

// Return the published tools and prompts that the caller may use, as tools/list and prompts/list show them.
McpJson mcpPublishedTools(Context& context);
McpJson mcpPublishedPrompts(Context& context);
// Returns a published entry that the caller may use; nullopt for another's as for one that is not there.
std::optional<McpEntry> mcpPublished(Context& context, McpEntry::Kind kind, const std::string& name);

// Calls a tool's function with the rights of its owner, in a session of its own. Throws UserError for arguments that
// are not the tool's, for an owner who is no user any more, and what the function throws.
Value callMcpEntry(Context& context, const McpEntry& tool, const McpJson& arguments);

}  // namespace pelorus
