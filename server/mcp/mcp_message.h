// Messages of the Model Context Protocol: JSON-RPC 2.0, one request or notice at a time.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pelorus {

using McpJson = nlohmann::ordered_json;

// An error of the protocol, which the answer reports by its code.
class McpError : public std::runtime_error {
public:
    static constexpr int kParse = -32700, kRequest = -32600, kMethod = -32601, kParameters = -32602, kResource = -32002;

    McpError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
    int code() const { return code_; }

private:
    int code_;
};

// A request, or a notice, which has no id and gets no answer.
struct McpMessage {
    McpJson id;  // null for a notice
    bool isNotice = false;
    std::string method;
    McpJson parameters = McpJson::object();
};

// Parses the bytes of one message. Throws McpError for what is none; bytes that are no JSON, deeper than 100 brackets,
// lists of messages (they are no part of the protocol's present version) and ids that are neither text nor number.
McpMessage parseMcpMessage(std::string_view bytes);

// Return the text of an answer on one line. Bytes that are no UTF-8 are replaced.
std::string mcpAnswer(const McpJson& id, McpJson result);
std::string mcpFailure(const McpJson& id, int code, std::string_view message);

// Returns the text of a member, or `otherwise` where there is none. Throws McpError when it is no text, or longer than
// 1 MiB.
std::string mcpString(const McpJson& object, const char* name, const char* otherwise = nullptr);
// Returns a member between two bounds, or `otherwise`. Throws McpError for anything else.
int64_t mcpInteger(const McpJson& object, const char* name, int64_t least, int64_t most, int64_t otherwise);

}  // namespace pelorus
