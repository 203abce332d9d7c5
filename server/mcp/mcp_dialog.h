// Answers the messages of a language model's client: the Model Context Protocol without state between messages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/mcp/mcp_tools.h"

namespace pelorus {

// Runs work in the name of the client's user. The work is cancelled after kMcpSeconds.
using McpRunner =
    std::function<void(std::string_view description, const std::function<void(const McpWork& work)>& work)>;

// Returns whether every node has a prompt of this name.
bool isMcpPrompt(std::string_view name);

// Returns the answer to one message, on one line; nothing for a notice. Does not throw. `isOfUser`: the runner has a
// user; the error of one who may not work here is that of the message.
std::optional<std::string> answerMcp(std::string_view message, const McpRunner& run);

}  // namespace pelorus
