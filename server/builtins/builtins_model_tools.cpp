// addMCPTool, updateMCPTool and callMCPTool: functions of users as tools of language models.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/time/local_clock.h"
#include "interpreter/session/stored_function.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table_access.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "server/builtins/model_arguments.h"
#include "server/builtins/server_builtins.h"
#include "server/mcp/mcp_arguments.h"
#include "server/mcp/mcp_table.h"
#include "server/mcp/mcp_user_tools.h"

namespace pelorus {
namespace {

using Kind = McpEntry::Kind;

void setFunction(McpEntry& tool, const Value& value) {
    if (!value.isFunction())
        throw UserError(1, "func must be a function of a script.", "Give the function itself, not its name in quotes.");
    tool.function = encodeToolFunction(value.function());
    tool.text = closureOf(value.function())->code().body.source;
}

// Sets names and types of the arguments; names are those of the function's parameters where none are given.
void setArguments(McpEntry& tool, const Signature& signature, const Value& names, const Value& types) {
    const bool hasNames = isGiven(names), hasTypes = isGiven(types);
    std::vector<std::string> given;
    if (hasNames) {
        given = textsArgument(names, 2, "argNames");
    } else {
        for (const Parameter& parameter : signature.parameters) given.push_back(parameter.name);
    }
    const std::vector<std::string> typed = hasTypes ? textsArgument(types, 3, "argTypes") : std::vector<std::string>();
    if (hasTypes && typed.size() != given.size()) {
        throw UserError(3, fmt::format("argTypes must have a type for each of the {} arguments, but it has {}.",
                                       given.size(), typed.size()));
    }
    const auto count = static_cast<int>(given.size());
    if (count < signature.minArguments() || count > signature.maxArguments()) {
        throw UserError(2,
                        fmt::format("argNames must have a name for each argument of the function, which takes {}.",
                                    signature.minArguments() == signature.maxArguments()
                                        ? std::to_string(signature.minArguments())
                                        : fmt::format("{} to {}", signature.minArguments(), signature.maxArguments())));
    }
    if (given.size() > McpEntryBounds::kMaxArguments)
        throw UserError(2, fmt::format("A tool takes at most {} arguments.", McpEntryBounds::kMaxArguments));
    std::vector<McpEntry::Argument> arguments;
    std::set<std::string> met;
    for (size_t i = 0; i < given.size(); ++i) {
        if (!isMcpName(given[i]) || !met.insert(given[i]).second) {
            throw UserError(2, "argNames must be different names of 1 to 64 letters, digits, _, - or .");
        }
        if (hasTypes) requireMcpType(typed[i]);
        arguments.push_back({given[i], hasTypes ? typed[i] : "", signature.parameters[i].optional});
    }
    tool.arguments = std::move(arguments);
}

Value addTool(Context& context, Arguments a) {
    requireDeveloper(context.principal());
    McpEntry tool{.kind = Kind::Tool, .name = entryName(a[0], Kind::Tool), .owner = context.principal().user()};
    refuseTablesOfCaller(context, a[1], "a tool");
    setFunction(tool, a[1]);
    setArguments(tool, a[1].function().signature(), a[2], a[3]);
    changeText(tool.description, descriptionArgument(a[4], 4));
    tool.title = titleArgument(a[5], 5);
    tool.modifiedMillis = localMillis();
    const std::string detail = "name=" + tool.name;
    AuditedChange audited({.operation = "addMCPTool", .detail = detail});
    modelCatalog(context).add(tool);
    audited.done();
    return Value::ofString(tool.name);
}

// Returns the new function of a tool, or the one of before.
Value functionOf(const McpEntry& tool, const Value& given) {
    return isGiven(given) ? given : decodeToolFunction(tool);
}

Value updateTool(Context& context, Arguments a) {
    requireDeveloper(context.principal());
    const std::string name = entryName(a[0], Kind::Tool), title = titleArgument(a[5], 5);
    const std::string description = descriptionArgument(a[4], 4);
    refuseTablesOfCaller(context, a[1], "a tool");
    const std::string detail = "name=" + name;
    AuditedChange audited({.operation = "updateMCPTool", .detail = detail});
    modelCatalog(context).update(Kind::Tool, name, [&](McpEntry& tool) {
        requireOwner(context.principal(), tool);
        const bool hasFunction = isGiven(a[1]);
        if (hasFunction) setFunction(tool, a[1]);
        const bool hasNames = isGiven(a[2]), hasTypes = isGiven(a[3]);
        if (hasFunction || hasNames || hasTypes) {
            // What is not given stays, and must fit what is.
            std::vector<std::string> names, types;
            for (const McpEntry::Argument& argument : tool.arguments) {
                names.push_back(argument.name);
                types.push_back(argument.type);
            }
            const bool isTyped =
                std::any_of(types.begin(), types.end(), [](const auto& type) { return !type.empty(); });
            const Value kept = isTyped && !hasNames ? Value::of(Vector::ofStrings(types)) : Value();
            setArguments(tool, functionOf(tool, a[1]).function().signature(),
                         hasNames ? a[2] : Value::of(Vector::ofStrings(names)), hasTypes ? a[3] : kept);
        }
        changeText(tool.description, description);
        changeText(tool.title, title);
        tool.modifiedMillis = localMillis();
    });
    audited.done();
    return a[0];
}

Value callTool(Context& context, Arguments a) {
    requireDeveloper(context.principal());
    const McpEntry tool = usableEntry(context, Kind::Tool, a[0], a[2]);
    McpJson given = McpJson::object();
    if (isGiven(a[1])) {
        if (!a[1].isDictionary()) throw UserError(1, "args must be a dictionary, as {x: 3}.");
        for (int64_t i = 0; i < a[1].dictionary().size(); ++i) {
            const Value key = a[1].dictionary().keyAt(i);
            if (!key.isString()) throw UserError(1, "The keys of args must be names of arguments.");
            given[std::string(key.string())] = mcpJsonOf(a[1].dictionary().valueAt(i));
        }
    }
    const Value result = callMcpEntry(context, tool, given);
    if (result.isString()) return Value::ofString(result.string());
    if (result.isScalar()) return Value::ofString(toString(result));
    return Value::ofString(mcpToolResult(result).dump(-1, ' ', false, McpJson::error_handler_t::replace));
}

}  // namespace

void registerModelToolBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("tools of language models");
    registry.add(
        "addMCPTool(name, func, [argNames], [argTypes], [description], [extraInfo])", addTool,
        {.summary = "Keeps a function of a script as the draft of a tool for language models, and returns its name. "
                    "publishMCPTools shows it to them; it runs with the rights of the user who added it, and changes "
                    "nothing where a model calls it.",
         .parameters =
             "name: 1 to 64 letters, digits, _, - or .\n"
             "func: a function of a script that captured no variables, with those that it calls up to 256 KiB\n"
             "argNames: a STRING for each argument, by which models name it; the names of the function's "
             "parameters by default\n"
             "argTypes: a STRING for each argument: STRING, DOUBLE, LONG, BOOL, TEMPORAL, a temporal type such "
             "as DATE, or string, number, integer, boolean; STRING[] and array<string> are lists; by default "
             "any value is taken\n"
             "description: what models read about the tool, up to 16 KiB\n"
             "extraInfo: a dictionary with the key title, a name for people",
         .errors =
             "The caller is neither an administrator nor has MCP_DEVELOP; there is such a tool, or 500 of them; an "
             "argument is none of these; the function takes another number of arguments.",
         .complexity = "One transaction of the metadata store.",
         .example = "def spreadOf(bid, ask) { return ask - bid }; addMCPTool(\"spread\", spreadOf, `bid`ask, "
                    "`number`number, \"The spread of a quote.\")"});
    registry.add(
        "updateMCPTool(name, [func], [argNames], [argTypes], [description], [extraInfo])", updateTool,
        {.summary = "Changes the draft of the caller's tool, and returns its name; models see the change when it is "
                    "published again.",
         .parameters = "name: of a tool of the caller\n"
                       "func: another function, which must fit the arguments\n"
                       "argNames: other names of the arguments\n"
                       "argTypes: other types of the arguments\n"
                       "description: another text; a blank takes it away\n"
                       "extraInfo: a dictionary with the key title",
         .errors = "There is no such tool, it is another user's, or an argument is none of these.",
         .complexity = "One transaction of the metadata store.",
         .example = "updateMCPTool(\"spread\", description=\"Ask less bid of a quote.\")"});
    registry.add(
        "callMCPTool(name, [args], [published=false])", callTool,
        {.summary = "Calls a tool as a language model does, and returns its result as a STRING: a scalar as string() "
                    "shows it, other values as the JSON that a model reads.",
         .parameters = "name: of a tool\n"
                       "args: a dictionary of the arguments by their names\n"
                       "published: true for the version that models see, false for the draft",
         .errors =
             "The caller may not develop tools or use this one, there is none, an argument is missing, unknown or "
             "of another type; what the function throws.",
         .example = "callMCPTool(\"spread\", {bid: 10.1, ask: 10.3})"});
}

}  // namespace pelorus
