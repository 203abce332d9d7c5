// What tools and prompts of language models have alike: they are dropped, published, withdrawn and listed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>

#include "common/error.h"
#include "common/io/audit.h"
#include "runtime/function/rights_keeper.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"
#include "server/builtins/model_arguments.h"
#include "server/builtins/server_builtins.h"
#include "server/mcp/mcp_user_tools.h"

namespace pelorus {
namespace {

using Kind = McpEntry::Kind;

Value dropEntry(Context& context, Arguments a, Kind kind) {
    const Principal& caller = context.principal();
    requireDeveloper(caller);
    const std::string name = entryName(a[0], kind), detail = "name=" + name;
    AuditedChange audited({.operation = kind == Kind::Tool ? "dropMCPTool" : "dropMCPPrompt", .detail = detail});
    std::string path;
    modelCatalog(context).drop(kind, name, [&](const McpEntry& draft) {
        if (!caller.administers()) requireOwner(caller, draft);
        path = draft.path();
    });
    if (auto* rights = context.service<RightsKeeper>()) rights->forgetModelEntry(path);
    audited.done();
    return a[0];
}

// Returns the names that are given, or those of all entries.
std::vector<std::string> namesGiven(McpCatalog& catalog, const Value& value, Kind kind, McpVersion version) {
    std::vector<std::string> names;
    if (isGiven(value)) {
        names = textsArgument(value, 0, "names");
        for (const std::string& name : names) {
            if (isMcpName(name) && catalog.find(kind, name, version)) continue;
            throw UserError(0, fmt::format("There is no {}{} {}.", version == McpVersion::Draft ? "" : "published ",
                                           wordOf(kind), name.substr(0, McpEntryBounds::kMaxNameBytes)));
        }
        return names;
    }
    for (const McpEntry& entry : catalog.all(kind, version)) names.push_back(entry.name);
    return names;
}

Value publishEntries(Context& context, Arguments a, Kind kind) {
    requirePublisher(context.principal());
    McpCatalog catalog = modelCatalog(context);
    const std::vector<std::string> names = namesGiven(catalog, a[0], kind, McpVersion::Draft);
    const std::string detail = fmt::format("names={}", fmt::join(names, ","));
    AuditedChange audited(
        {.operation = kind == Kind::Tool ? "publishMCPTools" : "publishMCPPrompts", .detail = detail});
    for (const std::string& name : names) catalog.publish(kind, name);
    audited.done();
    return Value::of(Vector::ofStrings(names));
}

Value withdrawEntries(Context& context, Arguments a, Kind kind) {
    requirePublisher(context.principal());
    McpCatalog catalog = modelCatalog(context);
    const std::vector<std::string> names = namesGiven(catalog, a[0], kind, McpVersion::Published);
    const std::string detail = fmt::format("names={}", fmt::join(names, ","));
    AuditedChange audited(
        {.operation = kind == Kind::Tool ? "withdrawMCPTools" : "withdrawMCPPrompts", .detail = detail});
    std::vector<std::string> withdrawn;
    for (const std::string& name : names) {
        if (catalog.withdraw(kind, name)) withdrawn.push_back(name);
    }
    audited.done();
    return Value::of(Vector::ofStrings(withdrawn));
}

// What the caller may see: own drafts, those of all for administrators, and the published versions of others; with the
// time at which each was published.
struct Listed {
    std::vector<McpEntry> entries;
    std::vector<int64_t> published;
};

Listed listedEntries(Context& context, Kind kind) {
    Listed listed;
    MetaStore* store = mcpStore(context, false);
    if (!store) return listed;
    const McpCatalog catalog(*store);
    const Principal& caller = context.principal();
    std::map<std::string, McpEntry> published;
    for (McpEntry& entry : catalog.all(kind, McpVersion::Published)) published[entry.name] = std::move(entry);
    for (McpEntry& draft : catalog.all(kind, McpVersion::Draft)) {
        const auto version = published.find(draft.name);
        const bool isPublished = version != published.end();
        if (!mayUseDraft(caller, draft)) {
            if (!isPublished || !mayUse(caller, version->second)) continue;
            draft = version->second;
        }
        listed.published.push_back(isPublished ? version->second.publishedMillis : null<int64_t>);
        listed.entries.push_back(std::move(draft));
    }
    return listed;
}

Value textColumn(const std::vector<McpEntry>& entries, const std::function<std::string(const McpEntry&)>& textOf,
                 Type type = Type::String) {
    std::vector<std::string> texts;
    for (const McpEntry& entry : entries) texts.push_back(textOf(entry));
    return Value::of(Vector::ofStrings(texts, type));
}

Value modified(const std::vector<McpEntry>& entries) {
    std::vector<int64_t> times;
    for (const McpEntry& entry : entries) times.push_back(entry.modifiedMillis);
    return Value::of(Vector::of(Type::Timestamp, times));
}

std::string argumentsText(const McpEntry& tool) {
    std::vector<std::string> texts;
    for (const McpEntry::Argument& argument : tool.arguments)
        texts.push_back(fmt::format("{}:{}", argument.name, argument.type.empty() ? "any" : argument.type));
    return fmt::format("{}", fmt::join(texts, ", "));
}

Value listTools(Context& context, Arguments) {
    const Listed listed = listedEntries(context, Kind::Tool);
    const std::vector<McpEntry>& tools = listed.entries;
    const Principal& caller = context.principal();
    // The code of a tool is its owner's business, and that of administrators.
    const auto code = [&](const McpEntry& tool) { return mayUseDraft(caller, tool) ? tool.text : std::string(); };
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "title", "description", "args", "lastModifyTime", "publishTime", "function"},
        std::vector<Value>{textColumn(tools, [](const McpEntry& tool) { return tool.name; }),
                           textColumn(tools, [](const McpEntry& tool) { return tool.title; }),
                           textColumn(tools, [](const McpEntry& tool) { return tool.description; }),
                           textColumn(tools, argumentsText), modified(tools),
                           Value::of(Vector::of(Type::Timestamp, listed.published)),
                           textColumn(tools, code, Type::Blob)})));
}

Value listPrompts(Context& context, Arguments) {
    const Listed listed = listedEntries(context, Kind::Prompt);
    const std::vector<McpEntry>& prompts = listed.entries;
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "message", "description", "title", "lastModifyTime", "publishTime"},
        std::vector<Value>{textColumn(prompts, [](const McpEntry& prompt) { return prompt.name; }),
                           textColumn(prompts, [](const McpEntry& prompt) { return prompt.text; }),
                           textColumn(prompts, [](const McpEntry& prompt) { return prompt.description; }),
                           textColumn(prompts, [](const McpEntry& prompt) { return prompt.title; }), modified(prompts),
                           Value::of(Vector::of(Type::Timestamp, listed.published))})));
}

template <Kind kind, Value (*act)(Context&, Arguments, Kind)>
Value of(Context& context, Arguments arguments) {
    return act(context, arguments, kind);
}

}  // namespace

void registerModelBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("tools of language models");
    constexpr const char* kNotPublisher =
        "The caller is neither an administrator nor has MCP_MANAGE; a name is of none.";
    registry.add("dropMCPTool(name)", of<Kind::Tool, dropEntry>,
                 {.summary = "Removes a tool that is not published, and returns its name.",
                  .parameters = "name: of a tool of the caller; of any for an administrator",
                  .errors = "There is no such tool, it is published or another user's.",
                  .complexity = "One transaction of the metadata store.",
                  .example = "dropMCPTool(\"spread\")"});
    registry.add("dropMCPPrompt(name)", of<Kind::Prompt, dropEntry>,
                 {.summary = "Removes a prompt that is not published, and returns its name.",
                  .parameters = "name: of a prompt of the caller; of any for an administrator",
                  .errors = "There is no such prompt, it is published or another user's.",
                  .complexity = "One transaction of the metadata store.",
                  .example = "dropMCPPrompt(\"summary\")"});
    registry.add("publishMCPTools([names])", of<Kind::Tool, publishEntries>,
                 {.summary = "Shows tools to language models as their drafts are now, and returns their names.",
                  .parameters = "names: a STRING or several; all tools by default",
                  .errors = kNotPublisher,
                  .complexity = "One transaction of the metadata store for each.",
                  .example = "publishMCPTools(\"spread\")"});
    registry.add("publishMCPPrompts([names])", of<Kind::Prompt, publishEntries>,
                 {.summary = "Shows prompts to language models as their drafts are now, and returns their names.",
                  .parameters = "names: a STRING or several; all prompts by default",
                  .errors = kNotPublisher,
                  .complexity = "One transaction of the metadata store for each.",
                  .example = "publishMCPPrompts(\"summary\")"});
    registry.add("withdrawMCPTools([names])", of<Kind::Tool, withdrawEntries>,
                 {.summary = "Hides published tools from language models, and returns their names; the drafts stay.",
                  .parameters = "names: a STRING or several; all published tools by default",
                  .errors = kNotPublisher,
                  .complexity = "One transaction of the metadata store for each.",
                  .example = "withdrawMCPTools(\"spread\")"});
    registry.add("withdrawMCPPrompts([names])", of<Kind::Prompt, withdrawEntries>,
                 {.summary = "Hides published prompts from language models, and returns their names; the drafts stay.",
                  .parameters = "names: a STRING or several; all published prompts by default",
                  .errors = kNotPublisher,
                  .complexity = "One transaction of the metadata store for each.",
                  .example = "withdrawMCPPrompts(\"summary\")"});
    registry.add("listMCPTools()", listTools,
                 {.summary = "A table of the caller's tools and of the published ones that the caller may use, with "
                             "columns name, title, description, args, "
                             "lastModifyTime, publishTime (NULL for a draft) and function, its code, which owners and "
                             "administrators see. Administrators see all tools.",
                  .example = "select name, args, publishTime from listMCPTools()"},
                 kReads);
    registry.add(
        "listMCPPrompts()", listPrompts,
        {.summary = "A table of the caller's prompts and of the published ones that the caller may use, with columns "
                    "name, message, description, "
                    "title, lastModifyTime and publishTime (NULL for a draft). Administrators see all prompts.",
         .example = "select name, message from listMCPPrompts()"},
        kReads);
}

}  // namespace pelorus
