// Debug adapter: a script in an editor's debugger, by the Debug Adapter Protocol.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "interpreter/debug/debug_session.h"

namespace pelorus {

class MessageStream;

// Runs a script under a debugger in the database that the arguments of `launch` name. `print` receives its output.
// Throws what the script throws.
using RunDebugged = std::function<void(const nlohmann::json& launch, std::string_view script, DebugSession& debugger,
                                       const std::function<void(std::string_view)>& print)>;

// One debugged script. Requests are answered by one thread; the script runs on another, and both send.
class DebugAdapter {
public:
    // `send` receives each outgoing message, serialized; by several threads.
    DebugAdapter(std::function<void(std::string)> send, RunDebugged run);
    // Ends the script.
    ~DebugAdapter();

    void handle(std::string_view message);
    bool hasEnded() const;

private:
    class Session;
    std::unique_ptr<Session> session_;
};

// Serves until the editor disconnects or the input ends.
int serveDebugger(MessageStream& stream, RunDebugged run);

}  // namespace pelorus
