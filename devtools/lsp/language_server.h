// LanguageServer answers an editor's requests about scripts by LSP 3.17.
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

// What the server may use of its process.
struct LanguageServerOptions {
    // True if the editor's files are those of this machine. Otherwise only open documents are known, and files are not
    // completed.
    bool readsFiles = true;
    // Handles the requests whose methods begin with "pelorus/" or "dap/", and answers them, now or later. Empty: they
    // are refused.
    std::function<void(const nlohmann::json& id, const std::string& method, const nlohmann::json& parameters)>
        workbench = {};
    // Returns the names of the session in which the workbench runs scripts, or null. Empty: there is no session.
    std::function<std::shared_ptr<const SessionNames>()> sessionNames = {};
};

// The session of one editor. One thread answers the messages in their order; errors of requests become answers, and no
// message but `exit` ends the server. Diagnostics of a document are published when no message waits, so that typing
// never waits for them; then the scripts of the workspace are read, some milliseconds at a time.
class LanguageServer {
public:
    // `send` receives each outgoing message, serialized.
    explicit LanguageServer(std::function<void(std::string)> send, LanguageServerOptions options = {});
    ~LanguageServer();

    // Handles one message, and sends its answer if it is a request.
    void handle(std::string_view message);
    // Announces a message that waits to be handled: a request that it cancels is not computed.
    void noteCancelled(std::string_view message);
    // Does some work that no request waits for; returns whether more remains.
    bool work();
    // Returns whether `exit` has come.
    bool hasExited() const;
    // Returns 0 after `shutdown` and `exit`, 1 after `exit` alone.
    int exitStatus() const;

private:
    class Session;
    std::unique_ptr<Session> session_;
};

// Serves until `exit` or the end of the input, and returns the exit status.
int serveEditor(MessageStream& stream, LanguageServerOptions options = {});

}  // namespace pelorus
