#include "server/mcp/mcp_entry.h"

#include <fmt/format.h>

#include "common/error.h"
#include "interpreter/session/stored_function.h"
#include "runtime/function/portable.h"
#include "runtime/serialize/received.h"
#include "runtime/serialize/value_codec.h"

namespace pelorus {

namespace {

// In the metadata store: never change; a new form has a new number.
constexpr int32_t kFormat = 1;
constexpr size_t kParts = 11;

Value stringsOf(const std::vector<McpEntry::Argument>& arguments, std::string McpEntry::Argument::*member) {
    std::vector<std::string> strings;
    for (const McpEntry::Argument& argument : arguments) strings.push_back(argument.*member);
    return Value::of(Vector::ofStrings(strings));
}

}  // namespace

const char* wordOf(McpEntry::Kind kind) {
    return kind == McpEntry::Kind::Tool ? "tool" : "prompt";
}

std::string McpEntry::path() const {
    return fmt::format("{}s/{}", wordOf(kind), name);
}

std::string McpEntry::encode() const {
    std::vector<int8_t> optional;
    for (const Argument& argument : arguments) optional.push_back(argument.isOptional);
    std::string bytes;
    encodeValue(Value::of(makeRef<Tuple>(std::vector<Value>{
                    Value::ofInt(kFormat), Value::ofString(owner), Value::ofLong(modifiedMillis),
                    Value::ofLong(publishedMillis), Value::ofString(title), Value::ofString(description),
                    Value::ofString(text), stringsOf(arguments, &Argument::name), stringsOf(arguments, &Argument::type),
                    Value::of(Vector::of(Type::Bool, optional)), Value::ofString(wordOf(kind))})),
                Peer::Node, bytes);
    return bytes + function;
}

McpEntry McpEntry::decode(Kind kind, std::string name, std::string_view stored) {
    StringSource source(stored);
    const Value header = decodeValue(source, Peer::Node);
    const std::vector<Value>& parts = savedParts(header, kParts);
    received::require(received::integer(parts[0], "the form of a tool") == kFormat, "the form of a tool");
    received::require(received::string(parts[10], "the kind of a tool") == wordOf(kind), "the kind of a tool");
    McpEntry entry{.kind = kind,
                   .name = std::move(name),
                   .owner = received::string(parts[1], "the owner of a tool"),
                   .title = received::string(parts[4], "the title of a tool"),
                   .description = received::string(parts[5], "the description of a tool"),
                   .modifiedMillis = received::integer(parts[2], "the time of a tool"),
                   .publishedMillis = received::integer(parts[3], "the time of a tool"),
                   .text = received::string(parts[6], "the text of a tool")};
    const std::vector<std::string> names = received::strings(parts[7], "the arguments of a tool");
    const std::vector<std::string> types = received::strings(parts[8], "the arguments of a tool");
    received::require(types.size() == names.size(), "the arguments of a tool");
    const Vector& optional =
        received::vector(parts[9], Type::Bool, static_cast<int64_t>(names.size()), "the arguments of a tool");
    for (size_t i = 0; i < names.size(); ++i)
        entry.arguments.push_back({names[i], types[i], optional.at(static_cast<int64_t>(i)).integer() == 1});
    entry.function = stored.substr(source.position());
    return entry;
}

std::string encodeToolFunction(const Function& function) {
    const Closure* closure = closureOf(function);
    if (!closure || !closure->captures().empty()) {
        throw UserError(1, fmt::format("{} cannot be a tool.", function.describe()),
                        "Give a function of a script that captured no variables, as def f(x) { return 2 * x }.");
    }
    requireStorable(*closure);
    std::string bytes;
    encodeValue(Value::of(Ref<Function>(const_cast<Function*>(&function))), Peer::Node, bytes);
    if (bytes.size() > McpEntryBounds::kMaxFunctionBytes) {
        throw UserError(1, fmt::format("The function of a tool, with those that it calls, takes at most {} KiB.",
                                       McpEntryBounds::kMaxFunctionBytes >> 10));
    }
    return bytes;
}

Value decodeToolFunction(const McpEntry& tool) {
    StringSource source(tool.function);
    Value decoded = decodeValue(source, Peer::Node);
    if (!decoded.isFunction() || decoded.function().kind() != Function::Kind::Closure)
        throw UserError(fmt::format("The tool {} holds no function of a script.", tool.name));
    return decoded;
}

}  // namespace pelorus
