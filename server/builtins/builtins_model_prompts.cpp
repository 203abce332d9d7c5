// addMCPPrompt, updateMCPPrompt and getMCPPrompt: texts that begin a conversation with a language model.
#include <fmt/format.h>

#include <map>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/time/local_clock.h"
#include "runtime/registry/function_theme.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "server/builtins/model_arguments.h"
#include "server/builtins/server_builtins.h"
#include "server/mcp/mcp_prompt.h"

namespace pelorus {
namespace {

using Kind = McpEntry::Kind;

Value addPrompt(Context& context, Arguments a) {
    requireDeveloper(context.principal());
    McpEntry prompt{.kind = Kind::Prompt, .name = entryName(a[0], Kind::Prompt), .owner = context.principal().user()};
    prompt.text = textArgument(a[1], 1, "message", McpEntryBounds::kMaxMessageBytes);
    if (prompt.text.empty()) throw UserError(1, "message must be a text.", "Its places are written as ${stock}.");
    changeText(prompt.description, descriptionArgument(a[2], 2));
    prompt.title = titleArgument(a[3], 3);
    prompt.modifiedMillis = localMillis();
    const std::string detail = "name=" + prompt.name;
    AuditedChange audited({.operation = "addMCPPrompt", .detail = detail});
    modelCatalog(context).add(prompt);
    audited.done();
    return Value::ofString(prompt.name);
}

Value updatePrompt(Context& context, Arguments a) {
    requireDeveloper(context.principal());
    const std::string name = entryName(a[0], Kind::Prompt), title = titleArgument(a[3], 3);
    const std::string message = textArgument(a[1], 1, "message", McpEntryBounds::kMaxMessageBytes);
    const std::string description = descriptionArgument(a[2], 2);
    const std::string detail = "name=" + name;
    AuditedChange audited({.operation = "updateMCPPrompt", .detail = detail});
    modelCatalog(context).update(Kind::Prompt, name, [&](McpEntry& prompt) {
        requireOwner(context.principal(), prompt);
        if (!message.empty()) prompt.text = message;
        changeText(prompt.description, description);
        changeText(prompt.title, title);
        prompt.modifiedMillis = localMillis();
    });
    audited.done();
    return a[0];
}

Value getPrompt(Context& context, Arguments a) {
    const McpEntry prompt = usableEntry(context, Kind::Prompt, a[0], a[2]);
    std::map<std::string, std::string> given;
    if (isGiven(a[1])) {
        if (!a[1].isDictionary()) throw UserError(1, "args must be a dictionary, as {stock: \"A\"}.");
        for (int64_t i = 0; i < a[1].dictionary().size(); ++i) {
            const Value key = a[1].dictionary().keyAt(i), value = a[1].dictionary().valueAt(i);
            if (!key.isString() || !value.isScalar() || value.isFunction())
                throw UserError(1, "args must have names of places, and a scalar for each.");
            given[std::string(key.string())] = value.isString() ? std::string(value.string()) : toString(value);
        }
    }
    return Value::ofString(mcpFilled(prompt.text, given));
}

}  // namespace

void registerModelPromptBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    const FunctionTheme theme("tools of language models");
    registry.add(
        "addMCPPrompt(name, message, [description], [extraInfo])", addPrompt,
        {.summary = "Keeps a text as the draft of a prompt for language models, and returns its name; "
                    "publishMCPPrompts shows it to them.",
         .parameters = "name: 1 to 64 letters, digits, _, - or .\n"
                       "message: a text of up to 64 KiB; ${stock} is a place that the argument stock fills\n"
                       "description: what the prompt is for\n"
                       "extraInfo: a dictionary with the key title, a name for people",
         .errors =
             "The caller is neither an administrator nor has MCP_DEVELOP; there is such a prompt, or 500 of them; "
             "an argument is none of these.",
         .complexity = "One transaction of the metadata store.",
         .example = "addMCPPrompt(\"summary\", \"Sum up the trades of ${stock} on ${day} in one sentence.\")"});
    registry.add(
        "updateMCPPrompt(name, [message], [description], [extraInfo])", updatePrompt,
        {.summary = "Changes the draft of the caller's prompt, and returns its name; models see the change when it is "
                    "published again.",
         .parameters = "name: of a prompt of the caller\n"
                       "message: another text\n"
                       "description: another text; a blank takes it away\n"
                       "extraInfo: a dictionary with the key title",
         .errors = "There is no such prompt, it is another user's, or an argument is none of these.",
         .complexity = "One transaction of the metadata store.",
         .example = "updateMCPPrompt(\"summary\", \"Name the high and the low of ${stock} on ${day}.\")"});
    registry.add("getMCPPrompt(name, [args], [published=false])", getPrompt,
                 {.summary = "The text of a prompt with its places filled, as a STRING.",
                  .parameters = "name: of a prompt\n"
                                "args: a dictionary of scalars by the names of the places\n"
                                "published: true for the version that models see, false for the draft",
                  .errors = "There is none that the caller may use; a place has no argument, or an argument no place.",
                  .example = "getMCPPrompt(\"summary\", {stock: \"IBM\", day: 2024.01.31})"},
                 kReads);
}

}  // namespace pelorus
