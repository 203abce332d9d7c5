#include "server/builtins/model_arguments.h"

#include <fmt/format.h>

#include <optional>

#include "common/error.h"
#include "runtime/function/function.h"
#include "runtime/value/dictionary.h"
#include "server/mcp/mcp_dialog.h"
#include "server/mcp/mcp_tools.h"
#include "server/mcp/mcp_user_tools.h"

namespace pelorus {

using Kind = McpEntry::Kind;

void requireDeveloper(const Principal& caller) {
    if (!caller.administers()) caller.require(Right::DevelopTools);
}

void requirePublisher(const Principal& caller) {
    if (!caller.administers()) caller.require(Right::PublishTools);
}

void requireOwner(const Principal& caller, const McpEntry& entry) {
    if (caller.user() == entry.owner && !caller.isGuest()) return;
    throw UserError(fmt::format("<NoPrivilege>The {} {} belongs to {}.", wordOf(entry.kind), entry.name, entry.owner),
                    "Only its owner can change it.");
}

McpCatalog modelCatalog(Context& context) {
    MetaStore* store = mcpStore(context, true);
    if (!store) throw UserError("This process keeps no tools of language models.");
    return McpCatalog(*store);
}

bool isGiven(const Value& value) {
    return !isOmitted(value) && !value.isVoid();
}

std::string textArgument(const Value& value, int at, const char* parameter, size_t maxBytes) {
    if (!isGiven(value)) return "";
    if (!value.isString()) throw UserError(at, fmt::format("{} must be a STRING.", parameter));
    if (value.string().size() > maxBytes)
        throw UserError(at, fmt::format("{} must be of at most {} bytes.", parameter, maxBytes));
    return std::string(value.string());
}

std::string entryName(const Value& value, Kind kind) {
    if (!value.isString() || !isMcpName(value.string())) {
        throw UserError(0, "name must be a STRING of 1 to 64 letters, digits, _, - or .",
                        fmt::format("Models call the {} by it.", wordOf(kind)));
    }
    std::string name(value.string());
    const bool isTaken = kind == Kind::Tool ? isMcpTool(name) : isMcpPrompt(name);
    if (isTaken)
        throw UserError(0, fmt::format("{} is a {} that every node has.", name, wordOf(kind)), "Take another name.");
    return name;
}

std::vector<std::string> textsArgument(const Value& value, int at, const char* parameter) {
    if (value.isString()) return {std::string(value.string())};
    std::vector<std::string> texts;
    if (value.isVector() && value.size() == 0) return texts;
    if (!value.isVector() || value.size() > static_cast<int64_t>(McpEntryBounds::kMaxEntries))
        throw UserError(at, fmt::format("{} must be a STRING or a vector of them.", parameter));
    for (int64_t i = 0; i < value.size(); ++i) {
        const Value element = value.at(i);
        if (!element.isString())
            throw UserError(at, fmt::format("{} must be a STRING or a vector of them.", parameter));
        texts.emplace_back(element.string());
    }
    return texts;
}

std::string titleArgument(const Value& value, int at) {
    if (!isGiven(value)) return "";
    if (!value.isDictionary()) throw UserError(at, "extraInfo must be a dictionary, as {title: \"Prices\"}.");
    std::string title;
    for (int64_t i = 0; i < value.dictionary().size(); ++i) {
        const Value key = value.dictionary().keyAt(i);
        if (!key.isString() || key.string() != "title")
            throw UserError(at, "extraInfo has the key title only.", "As in {title: \"Prices\"}.");
        title =
            textArgument(value.dictionary().valueAt(i), at, "The title in extraInfo", McpEntryBounds::kMaxTitleBytes);
    }
    return title;
}

void changeText(std::string& text, std::string given) {
    if (given.empty()) return;
    text = given.find_first_not_of(" \t\n") == std::string::npos ? "" : std::move(given);
}

std::string descriptionArgument(const Value& value, int at) {
    return textArgument(value, at, "description", McpEntryBounds::kMaxDescriptionBytes);
}

McpEntry usableEntry(Context& context, Kind kind, const Value& name, const Value& published) {
    if (isGiven(published) && (!published.isScalar() || !published.isNumber()))
        throw UserError(2, "published must be true or false.");
    const bool isPublished = isGiven(published) && !published.isNull() && published.asLong() != 0;
    const std::string wanted(name.isString() ? name.string() : "");
    std::optional<McpEntry> entry;
    if (isPublished) {
        entry = mcpPublished(context, kind, wanted);
    } else if (MetaStore* store = isMcpName(wanted) ? mcpStore(context, false) : nullptr) {
        entry = McpCatalog(*store).find(kind, wanted, McpVersion::Draft);
        if (entry && !mayUseDraft(context.principal(), *entry)) entry.reset();
    }
    if (entry) return *std::move(entry);
    throw UserError(0, fmt::format("There is no {}{} {}.", isPublished ? "published " : "", wordOf(kind),
                                   isMcpName(wanted) ? wanted : "of such a name"));
}

}  // namespace pelorus
