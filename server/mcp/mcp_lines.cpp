#include "server/mcp/mcp_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "common/thread/mutex.h"
#include "net/http_client.h"
#include "server/mcp/mcp_dialog.h"

namespace pelorus {

constexpr size_t kMaxLineBytes = size_t{4} << 20;

void serveMcpLines(std::istream& in, std::ostream& out, const McpAnswer& answer) {
    std::string line;
    while (std::getline(in, line)) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::optional<std::string> text =
            line.size() > kMaxLineBytes ? mcpFailure(nullptr, McpError::kRequest, "The message is longer than 4 MiB.")
                                        : answer(line);
        if (text) out << *text << '\n' << std::flush;
    }
}

class McpDeadline::Timer {
public:
    explicit Timer(Request& request) : thread_([this, &request] { wait(request); }) {}
    ~Timer() {
        {
            const MutexLock lock(mutex_);
            isOver_ = true;
        }
        ended_.notifyAll();
        thread_.join();
    }

private:
    void wait(Request& request) {
        const auto deadline =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int64_t>(kMcpSeconds * 1000));
        MutexLock lock(mutex_);
        while (!isOver_) {
            if (ended_.waitUntil(lock, deadline)) continue;
            request.cancelled = true;
            return;
        }
    }

    Mutex mutex_;
    CondVar ended_;
    bool isOver_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

McpDeadline::McpDeadline(Request& request) : timer_(std::make_unique<Timer>(request)) {}
McpDeadline::~McpDeadline() = default;

McpRelay::McpRelay(std::string host, int port, std::string authorization)
    : host_(std::move(host)), port_(port), authorization_(std::move(authorization)) {}
McpRelay::~McpRelay() = default;

std::optional<std::string> McpRelay::answer(const std::string& line) {
    constexpr int kAnswerMillis = 60'000;
    if (!client_ || !client_->usable()) {
        client_ = std::make_unique<HttpClient>(host_, port_, kAnswerMillis);
        if (!authorization_.empty()) client_->authorize(authorization_);
    }
    const HttpAnswer given = client_->post("/mcp", line);
    if (given.status == 202) return std::nullopt;
    if (given.status == 200) return given.body;
    return mcpFailure(nullptr, McpError::kRequest,
                      fmt::format("{}:{} answered {}: {}", host_, port_, given.status, given.body));
}

}  // namespace pelorus
