// The Model Context Protocol on standard input and output: one message a line.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "runtime/function/context.h"

namespace pelorus {

class HttpClient;

using McpAnswer = std::function<std::optional<std::string>(const std::string& line)>;

// Calls `answer` with each line that is not blank until the input ends, and writes what it returns. A line beyond 4 MiB
// is refused.
void serveMcpLines(std::istream& in, std::ostream& out, const McpAnswer& answer);

// Cancels a request that runs longer than kMcpSeconds, while it lives. The request outlives it.
class McpDeadline {
public:
    explicit McpDeadline(Request& request);
    ~McpDeadline();
    McpDeadline(const McpDeadline&) = delete;
    McpDeadline& operator=(const McpDeadline&) = delete;

private:
    class Timer;
    const std::unique_ptr<Timer> timer_;
};

// Passes messages on to the /mcp of a node, connecting anew where the node has closed the connection.
class McpRelay {
public:
    // `authorization`: the header that says who asks; empty for a guest.
    McpRelay(std::string host, int port, std::string authorization);
    ~McpRelay();
    std::optional<std::string> answer(const std::string& line);

private:
    const std::string host_;
    const int port_;
    const std::string authorization_;
    std::unique_ptr<HttpClient> client_;
};

}  // namespace pelorus
