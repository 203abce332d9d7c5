// pelorus mcp: a language model's door to a database, on standard input and output. With --connect it passes messages
// on to a node, which answers them with the rights of a user.
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <mutex>
#include <thread>

#include "apps/commands.h"
#include "apps/console/console.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "common/io/base64.h"
#include "net/http_client.h"
#include "runtime/function/principal.h"
#include "server/mcp/mcp_dialog.h"
#include "server/session/engine_host.h"

namespace pelorus {

namespace {

constexpr size_t kMaxLineBytes = size_t{4} << 20;

struct McpOptions {
    ProcessOptions process;
    std::string node;  // HOST:PORT; empty: the database of this process
};

McpOptions parsed(const CommandArguments& arguments) {
    McpOptions options;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = arguments[i];
        std::string* value = name == "--data"         ? &options.process.dataFolder
                             : name == "--module-dir" ? &options.process.moduleFolder
                             : name == "--connect"    ? &options.node
                                                      : nullptr;
        if (!value || i + 1 == arguments.size()) {
            throw UserError("pelorus mcp does not understand " + name + ".",
                            "Usage: pelorus mcp --data DIR, or pelorus mcp --connect HOST:PORT with PELORUS_USER and "
                            "PELORUS_PASSWORD.");
        }
        *value = arguments[++i];
    }
    if (options.node.empty() && options.process.dataFolder.empty())
        throw UserError("pelorus mcp needs a database: --data DIR, or --connect HOST:PORT.");
    return options;
}

// Cancels a request that runs too long.
class RequestDeadline {
public:
    explicit RequestDeadline(Request& request)
        : thread_([this, &request] {
              std::unique_lock lock(mutex_);
              const auto limit = std::chrono::duration<double>(kMcpSeconds);
              if (!ended_.wait_for(lock, limit, [this] { return isOver_; })) request.cancelled = true;
          }) {}
    ~RequestDeadline() {
        {
            const std::lock_guard lock(mutex_);
            isOver_ = true;
        }
        ended_.notify_one();
        thread_.join();
    }

private:
    std::mutex mutex_;  // guards isOver_
    std::condition_variable ended_;
    bool isOver_ = false;
    std::thread thread_;
};

// Calls `answer` with each line of the input, and writes what it returns.
int serveLines(const std::function<std::optional<std::string>(const std::string& line)>& answer) {
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::optional<std::string> text =
            line.size() > kMaxLineBytes ? mcpFailure(nullptr, McpError::kRequest, "The message is longer than 4 MiB.")
                                        : answer(line);
        if (text) std::cout << *text << '\n' << std::flush;
    }
    return 0;
}

int serveFolder(ProcessOptions options) {
    registerAllFunctions();
    const Process process(std::move(options));
    EngineHost host(process.services());
    const McpRunner run = [&](std::string_view, const std::function<void(const McpWork&)>& work) {
        Request request{Principal::owner()};
        const RequestDeadline deadline(request);
        const std::unique_ptr<ScriptSession> session = host.newSession();
        work({process.services(), request, *session});
    };
    return serveLines([&](const std::string& line) { return answerMcp(line, run); });
}

int serveNode(const std::string& address) {
    const RemoteAddress node = parseAddress(address);
    constexpr int kAnswerMillis = 60'000;
    std::unique_ptr<HttpClient> client;
    return serveLines([&](const std::string& line) -> std::optional<std::string> {
        if (!client || !client->usable()) {
            client = std::make_unique<HttpClient>(node.host, node.port, kAnswerMillis);
            if (!node.user.empty()) client->authorize("Basic " + toBase64(node.user + ":" + node.password));
        }
        const HttpAnswer answer = client->post("/mcp", line);
        if (answer.status == 202) return std::nullopt;
        if (answer.status == 200) return answer.body;
        return mcpFailure(nullptr, McpError::kRequest,
                          fmt::format("{} answered {}: {}", address, answer.status, answer.body));
    });
}

}  // namespace

int mcpCommand(const CommandArguments& arguments) {
    McpOptions options = parsed(arguments);
    std::signal(SIGPIPE, SIG_IGN);
    return options.node.empty() ? serveFolder(std::move(options.process)) : serveNode(options.node);
}

}  // namespace pelorus
