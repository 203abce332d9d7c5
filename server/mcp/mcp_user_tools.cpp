#include "server/mcp/mcp_user_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "database/service/database_service.h"
#include "interpreter/session/session.h"
#include "interpreter/session/stored_function.h"
#include "interpreter/vm/vm.h"
#include "runtime/function/principal_source.h"
#include "server/mcp/mcp_arguments.h"
#include "server/mcp/mcp_prompt.h"

namespace pelorus {

namespace {

std::vector<McpEntry> usable(Context& context, McpEntry::Kind kind) {
    MetaStore* store = mcpStore(context, false);
    if (!store) return {};
    std::vector<McpEntry> entries = McpCatalog(*store).all(kind, McpVersion::Published);
    std::erase_if(entries, [&](const McpEntry& entry) { return !mayUse(context.principal(), entry); });
    return entries;
}

// Returns name, title and description, those that there are.
McpJson described(const McpEntry& entry) {
    McpJson json{{"name", entry.name}};
    if (!entry.title.empty()) json["title"] = entry.title;
    if (!entry.description.empty()) json["description"] = entry.description;
    return json;
}

std::shared_ptr<const Principal> ownerOf(const Context& context, const McpEntry& tool) {
    try {
        return principalOf(*context.services, tool.owner);
    } catch (const UserError& e) {
        throw UserError(fmt::format("The tool {} cannot run, since {}, who made it, is no user any more: {}", tool.name,
                                    tool.owner, e.what()),
                        "An administrator can drop it.");
    }
}

}  // namespace

MetaStore* mcpStore(Context& context, bool create) {
    auto* databases = context.service<DatabaseService>();
    return databases ? databases->metaStore(create) : nullptr;
}

bool mayUse(const Principal& caller, const McpEntry& entry) {
    if (!caller.isGuest() && caller.user() == entry.owner) return true;
    const std::string path = entry.path();
    return caller.may(Right::ExecuteTool, {.kind = SecuredObject::Kind::ModelTool, .name = path, .owner = entry.owner});
}

bool mayUseDraft(const Principal& caller, const McpEntry& draft) {
    return caller.administers() || (!caller.isGuest() && caller.user() == draft.owner);
}

bool isMcpName(std::string_view name) {
    return !name.empty() && name.size() <= McpEntryBounds::kMaxNameBytes &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.');
           });
}

McpJson mcpPublishedTools(Context& context) {
    McpJson tools = McpJson::array();
    for (const McpEntry& entry : usable(context, McpEntry::Kind::Tool)) {
        McpJson tool = described(entry);
        try {
            tool["inputSchema"] = mcpSchema(entry);
        } catch (const UserError&) {
            continue;  // of a newer version: this one could not call it
        }
        tool["annotations"] = {{"readOnlyHint", true}, {"openWorldHint", false}};
        tools.push_back(std::move(tool));
    }
    return tools;
}

McpJson mcpPublishedPrompts(Context& context) {
    McpJson prompts = McpJson::array();
    for (const McpEntry& entry : usable(context, McpEntry::Kind::Prompt)) {
        McpJson prompt = described(entry), arguments = McpJson::array();
        for (const std::string& place : mcpPlaces(entry.text))
            arguments.push_back({{"name", place}, {"required", true}});
        prompt["arguments"] = std::move(arguments);
        prompts.push_back(std::move(prompt));
    }
    return prompts;
}

std::optional<McpEntry> mcpPublished(Context& context, McpEntry::Kind kind, const std::string& name) {
    MetaStore* store = isMcpName(name) ? mcpStore(context, false) : nullptr;
    if (!store) return std::nullopt;
    std::optional<McpEntry> entry = McpCatalog(*store).find(kind, name, McpVersion::Published);
    return entry && mayUse(context.principal(), *entry) ? std::move(entry) : std::nullopt;
}

Value callMcpEntry(Context& context, const McpEntry& tool, const McpJson& arguments) {
    std::vector<Value> values = mcpArguments(tool, arguments);
    const std::shared_ptr<const Principal> owner = ownerOf(context, tool)->calledBy(context.principal());
    const StoredFunction function(Ref<Function>(&decodeToolFunction(tool).function()));
    // Names of the function do not mean variables or functions of the caller.
    Session own(*context.services);
    Context inner = context;
    inner.definer = owner.get();
    inner.callerTables = nullptr;
    inner.session = &own;
    inner.scope = nullptr;
    return callFunction(*function.function(), inner, values);
}

}  // namespace pelorus
