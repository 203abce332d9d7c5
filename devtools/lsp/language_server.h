// Language server: answers an editor's questions about scripts by LSP 3.17.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus {

class MessageStream;
class SessionNames;

struct LanguageServerOptions {
    // Whether the editor's files are those of this machine. Otherwise only open documents are known, and files are not
    // completed.
    bool readsFiles = true;
    // Takes the requests whose methods begin with "pelorus/" or "dap/", and answers them, now or later. Empty: there
    // are none.
    std::function<void(const nlohmann::json& id, const std::string& method, const nlohmann::json& parameters)>
        workbench = {};
    // Returns the names of the session in which the workbench runs scripts, or null. Empty: there is none.
    std::function<std::shared_ptr<const SessionNames>()> sessionNames = {};
};

// One editor's session. Messages are answered in their order by one thread; errors of requests become answers, and no
// message ends the server but `exit`. Diagnostics of a document are published when no message waits, so that typing
// never waits for them; then the scripts of the workspace are read, some milliseconds at a time.
class LanguageServer {
public:
    // `send` receives each outgoing message, serialized.
    explicit LanguageServer(std::function<void(std::string)> send, LanguageServerOptions options = {});
    ~LanguageServer();

    void handle(std::string_view message);
    // Announces messages that follow at once: a request that a later one among them cancels is not computed.
    void noteCancelled(std::string_view message);
    // Does work that no request waits for; returns whether more is left.
    bool work();
    bool hasExited() const;
    // 0 after `shutdown` and `exit`, 1 after `exit` alone.
    int exitStatus() const;

private:
    class Session;
    std::unique_ptr<Session> session_;
};

// Serves until `exit` or the end of the input, and returns the exit status.
int serveEditor(MessageStream& stream, LanguageServerOptions options = {});

}  // namespace pelorus
