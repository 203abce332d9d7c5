// The tools that a language model has at a node: what there is, what it looks like, and queries that only read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/mcp/mcp_message.h"
#include "server/session/script_host.h"

namespace pelorus {

class Principal;
class Services;

// What works in the name of the model's user. A request ends after some seconds, as the caller has decided.
struct McpWork {
    const Services& services;
    Request& request;
    ScriptSession& session;
};

// Seconds after which the work for one message is cancelled.
constexpr double kMcpSeconds = 30;

// Bounds of an answer.
struct McpBounds {
    static constexpr int64_t kDefaultRows = 100, kMaxRows = 1000;
    static constexpr size_t kMaxCellBytes = 2000, kMaxAnswerBytes = size_t{256} << 10;
};

// Returns the user as a model works for him: it changes nothing, and opens no file, whatever the user may.
std::shared_ptr<const Principal> principalOfModel(const Principal& user);

// Returns a list of the descriptions of the tools that every node has, for tools/list.
McpJson mcpToolList();
// Returns whether every node has a tool of this name: users cannot make one that is called so.
bool isMcpTool(const std::string& name);
// Calls a published tool that the user may use; nullopt when there is none. Errors of its function are its result.
std::optional<McpJson> callMcpUserTool(const std::string& name, const McpJson& arguments, const McpWork& work);
// Calls a tool. Returns its result as tools/call gives it, errors of queries included, which the model reads. Throws
// McpError for arguments that are none of the tool's.
McpJson callMcpTool(const std::string& name, const McpJson& arguments, const McpWork& work);

}  // namespace pelorus
