#include "server/mcp/mcp_message.h"

#include <fmt/format.h>

namespace pelorus {

namespace {

constexpr int kMaxDepth = 100;
constexpr size_t kMaxStringBytes = size_t{1} << 20;

// Whether brackets are nested deeper than a message needs; the parser recurses by them.
bool isDeep(std::string_view bytes) {
    int depth = 0;
    bool isString = false;
    for (size_t i = 0; i < bytes.size(); ++i) {
        const char c = bytes[i];
        if (isString) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                isString = false;
            }
            continue;
        }
        if (c == '"') isString = true;
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (depth > kMaxDepth) return true;
    }
    return false;
}

std::string line(const McpJson& json) {
    return json.dump(-1, ' ', false, McpJson::error_handler_t::replace);
}

}  // namespace

McpMessage parseMcpMessage(std::string_view bytes) {
    if (isDeep(bytes)) throw McpError(McpError::kParse, "The message is nested too deeply.");
    const McpJson json = McpJson::parse(bytes, nullptr, false);
    if (json.is_discarded()) throw McpError(McpError::kParse, "The message is no JSON.");
    if (!json.is_object()) throw McpError(McpError::kRequest, "A message is one object of JSON-RPC 2.0.");
    const auto version = json.find("jsonrpc");
    if (version == json.end() || *version != "2.0")
        throw McpError(McpError::kRequest, "The message must say \"jsonrpc\": \"2.0\".");
    McpMessage message;
    const auto id = json.find("id");
    message.isNotice = id == json.end();
    if (!message.isNotice) {
        if (!id->is_string() && !id->is_number_integer())
            throw McpError(McpError::kRequest, "The id of a request is a text or a whole number.");
        message.id = *id;
    }
    const auto method = json.find("method");
    // The answer to a request of ours, which there is none of.
    if (method == json.end() && !message.isNotice && (json.contains("result") || json.contains("error"))) {
        message.isNotice = true;
        return message;
    }
    if (method == json.end() || !method->is_string())
        throw McpError(McpError::kRequest, "The message names no method.");
    message.method = method->get<std::string>();
    if (const auto parameters = json.find("params"); parameters != json.end()) {
        if (!parameters->is_object()) throw McpError(McpError::kParameters, "The params of a method are an object.");
        message.parameters = *parameters;
    }
    return message;
}

std::string mcpAnswer(const McpJson& id, McpJson result) {
    return line({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string mcpFailure(const McpJson& id, int code, std::string_view message) {
    return line({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

std::string mcpString(const McpJson& object, const char* name, const char* otherwise) {
    const auto member = object.find(name);
    if (member == object.end()) {
        if (otherwise) return otherwise;
        throw McpError(McpError::kParameters, fmt::format("The argument {} is missing.", name));
    }
    if (!member->is_string()) throw McpError(McpError::kParameters, fmt::format("The argument {} is a text.", name));
    std::string string = member->get<std::string>();
    if (string.size() > kMaxStringBytes)
        throw McpError(McpError::kParameters, fmt::format("The argument {} is longer than 1 MiB.", name));
    return string;
}

int64_t mcpInteger(const McpJson& object, const char* name, int64_t least, int64_t most, int64_t otherwise) {
    const auto member = object.find(name);
    if (member == object.end()) return otherwise;
    const bool isWhole =
        member->is_number_integer() ||
        (member->is_number_float() && member->get<double>() == static_cast<double>(static_cast<int64_t>(std::min(
                                                                   1e15, std::max(-1e15, member->get<double>())))));
    const int64_t number = isWhole ? member->get<int64_t>() : least - 1;
    if (number < least || number > most)
        throw McpError(McpError::kParameters,
                       fmt::format("The argument {} is a whole number from {} to {}.", name, least, most));
    return number;
}

}  // namespace pelorus
