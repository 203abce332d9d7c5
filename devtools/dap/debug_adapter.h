// DebugAdapter runs a script in an editor's debugger, by the Debug Adapter Protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "devtools/dap/debug_host.h"

namespace pelorus {

class MessageStream;

// One debugged script. One thread answers requests by `handle`; the script runs on another one, and both send.
class DebugAdapter {
public:
    // `send` receives each outgoing message, serialized; several threads call it.
    DebugAdapter(std::function<void(std::string)> send, std::unique_ptr<DebugHost> host);
    // Cancels the script and waits for its end.
    ~DebugAdapter();

    // Answers one message. An error of a request becomes its answer.
    void handle(std::string_view message);
    // Cancels the script. Any thread.
    void interrupt();
    // Returns whether the editor has disconnected.
    bool hasEnded() const;

private:
    class Session;
    std::unique_ptr<Session> session_;
};

// Serves until the editor disconnects or the input ends, and returns the exit status.
int serveDebugger(MessageStream& stream, std::unique_ptr<DebugHost> host);

}  // namespace pelorus
