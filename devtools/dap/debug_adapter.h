// Debug adapter: a script in an editor's debugger, by the Debug Adapter Protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "devtools/dap/debug_host.h"

namespace pelorus {

class MessageStream;

// One debugged script. Requests are answered by one thread; the script runs on another, and both send.
class DebugAdapter {
public:
    // `send` receives each outgoing message, serialized; by several threads.
    DebugAdapter(std::function<void(std::string)> send, std::unique_ptr<DebugHost> host);
    // Ends the script.
    ~DebugAdapter();

    void handle(std::string_view message);
    // Ends the script soon. Any thread.
    void interrupt();
    bool hasEnded() const;

private:
    class Session;
    std::unique_ptr<Session> session_;
};

// Serves until the editor disconnects or the input ends.
int serveDebugger(MessageStream& stream, std::unique_ptr<DebugHost> host);

}  // namespace pelorus
