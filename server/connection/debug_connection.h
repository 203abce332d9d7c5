// Debugger of an editor on one connection: WebSocket subprotocol "debug", whose messages debug_call.h describes.
//
// A client logs in, sends a script, sets breakpoints, and runs it; stops, prints and the end are told by events. Calls
// are answered at once. Owned by the thread of the connection; the script runs on another one, and ends with the
// connection.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "interpreter/debug/debug_session.h"
#include "interpreter/debug/debugged_sources.h"
#include "server/connection/debug_call.h"
#include "server/connection/user_session.h"

namespace pelorus {

class DebugConnection {
public:
    struct Parts {
        Connection& connection;
        ServerParts& server;
        ConnectionDeadlines& deadlines;
        RequestSlot& slot;
        std::function<void()> loggedIn;  // called by the thread of the connection
    };
    explicit DebugConnection(Parts parts);
    // Ends the script.
    ~DebugConnection();
    DebugConnection(const DebugConnection&) = delete;
    DebugConnection& operator=(const DebugConnection&) = delete;

    // Answers calls until the client leaves. Throws what reading throws.
    void serve();

private:
    using Json = nlohmann::json;
    struct Answer {
        Json data;
        std::string objects;
    };
    using Handler = Answer (DebugConnection::*)(const DebugArgument& data);

    void handle(const DebugCall& call);
    void send(const Json& message, const std::string& objects = "");
    void sendEvent(const char* name, Json data, const std::string& message = "OK");

    Answer login(const DebugArgument& data);
    Answer parse(const DebugArgument& data);
    Answer setBreakpoints(const DebugArgument& data);
    Answer setStopsAtErrors(const DebugArgument& data);
    Answer run(const DebugArgument& data);
    template <DebugSession::Step step>
    Answer go(const DebugArgument& data);
    Answer pause(const DebugArgument& data);
    Answer stop(const DebugArgument& data);
    Answer stackTrace(const DebugArgument& data);
    Answer variables(const DebugArgument& data);
    Answer variable(const DebugArgument& data);
    Answer source(const DebugArgument& data);
    Answer sessionId(const DebugArgument& data);

    void runScript();
    void reportFailure(const std::exception& error);
    void stopped(DebugSession::Reason reason, const std::string& message);
    DebugFrame frame(int64_t id) const;
    Value value(int64_t frameId, int64_t variableId) const;
    const DebuggedSource* moduleNamed(const std::string& name) const;
    const DebuggedSource* moduleAt(const std::string& path) const;
    void endScript();

    const Parts parts_;
    const std::unordered_map<std::string, Handler> handlers_;
    std::string user_ = "guest";
    UserSession session_;
    std::string script_;
    bool isParsed_ = false;
    std::vector<DebuggedSource> modules_;
    std::function<void()> afterAnswer_;  // what the call sets going; events must not overtake its answer
    std::atomic<bool> hasToldError_{false}, hasEnded_{false};
    bool stopsAtErrors_ = false;
    DebugSession debugger_;
    std::thread thread_;
};

}  // namespace pelorus
