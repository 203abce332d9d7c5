#include "server/connection/editor_connection.h"

#include <thread>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "common/outside_json.h"
#include "devtools/dap/debug_host.h"
#include "devtools/lsp/language_server.h"
#include "devtools/workbench/workbench.h"
#include "net/connection.h"
#include "runtime/function/principal.h"
#include "server/access/access_control.h"
#include "server/access/login_throttle.h"
#include "server/access/password_login.h"
#include "server/connection/user_session.h"
#include "server/session/connection_deadlines.h"
#include "server/session/debug_place.h"

namespace pelorus {

namespace {

constexpr size_t kMaxMessageBytes = 64 << 20;
constexpr size_t kMaxLoginBytes = 4096;
constexpr int kPollMillis = 100;

// Debugs one script in a separate session.
class ServerDebugHost final : public DebugHost {
public:
    ServerDebugHost(const EditorConnection::Parts& parts, const std::string& user)
        : parts_(parts), session_(parts.connection, parts.server, parts.debugged, user) {}

    std::string open(const Json& launch) override { return stringMember(launch, "script"); }
    std::vector<DebuggedSource> modules(std::string_view script) override {
        return session_.script().debuggedSources(script);
    }
    bool sharesFiles() const override { return false; }
    void run(std::string_view script, DebugSession& debugger,
             const std::function<void(std::string_view)>& print) override {
        if (parts_.debugged.isBusy())
            throw UserError("Another script is debugged on this connection.", "End it, or debug on a new connection.");
        const DebugPlace place(*parts_.server.state);
        RequestSlot::Details details;
        details.print = print;
        details.isWaiting = [&] { return debugger.isStopped(); };
        session_.carryOut(script, std::move(details), [&](ScriptSession& session, Request& request) {
            session.debug(request, script, debugger);
            return Value();
        });
    }

private:
    const EditorConnection::Parts& parts_;
    UserSession session_;
};

class ServerRunner final : public ScriptRunner {
public:
    ServerRunner(const EditorConnection::Parts& parts, const std::string& user, RunnerEvents events)
        : events_(std::move(events)),
          parts_(parts),
          user_(user),
          name_(parts.server.nodeName),
          scripts_(parts.connection, parts.server, parts.scripts, user),
          panels_(parts.connection, parts.server, parts.panels, user) {}

    void run(std::string_view script, const std::function<void(const Value&)>& show) override {
        RequestSlot::Details details;
        details.print = events_.print;
        details.notice = events_.notice;
        details.progress = &progress_;
        progress_.clear();
        show(scripts_.carryOut(script, std::move(details),
                               [&](ScriptSession& session, Request& request) { return session.run(request, script); }));
    }
    Value call(std::string_view function, std::vector<Value> arguments) override {
        return panels_.carryOut(function, {}, [&](ScriptSession& session, Request& request) {
            return session.call(request, function, std::move(arguments));
        });
    }
    void interrupt() override { scripts_.interrupt(); }
    Progress::Snapshot progress() const override { return progress_.snapshot(); }
    std::shared_ptr<const Principal> principal() const override { return scripts_.principal(); }
    std::string name() const override { return name_; }
    std::unique_ptr<DebugHost> debugHost() override { return std::make_unique<ServerDebugHost>(parts_, user_); }

private:
    const RunnerEvents events_;
    const EditorConnection::Parts& parts_;
    const std::string user_;
    const std::string name_;
    Progress progress_;
    UserSession scripts_, panels_;
};

}  // namespace

// A page that is loaded again, or has lost its connection, comes back by a ticket: it keeps no password.
void EditorConnection::requireTicket(const std::string& user, const std::string& ticket) {
    if (parts_.server.access.userOfTicket(ticket) != user) {
        logWarning("access", "login by ticket failed", {{"user", user}});
        audit({.operation = "login failed", .user = user, .detail = "by ticket"});
        throw UserError("The ticket is not valid, or no longer.", "Log in with a password.");
    }
    if (parts_.server.throttle) parts_.server.throttle->requireUnlocked(user, parts_.connection.peerHost());
    logInfo("access", "login by ticket", {{"user", user}});
    audit({.operation = "login", .user = user, .detail = "by ticket"});
}

// Logs in by the first request. Returns false, with an answer sent, for any other one.
bool EditorConnection::admit(const std::string& line) {
    const Json message = parseJson(line);
    const Json* id = findMember(message, "id");
    const Json* parameters = findMember(message, "params");
    std::string why = "The first request must be pelorus/connect with user and password.";
    if (id && parameters && message.value("method", Json()) == "pelorus/connect") {
        try {
            const std::string user = stringMember(*parameters, "user");
            const AuditOrigin origin(
                {.user = user, .address = parts_.connection.peerHost(), .port = parts_.connection.peerPort()});
            if (const Json* ticket = findMember(*parameters, "ticket"); ticket && ticket->is_string()) {
                requireTicket(user, ticket->get<std::string>());
            } else {
                requirePassword(parts_.server.access, parts_.server.throttle.get(),
                                {.user = user,
                                 .password = stringMember(*parameters, "password"),
                                 .address = parts_.connection.peerHost()});
            }
            user_ = user;
            parts_.deadlines.loggedIn();
            parts_.loggedIn();
            return true;
        } catch (const std::exception& error) {
            why = errorText(error);
        }
    }
    const Json answer = {
        {"jsonrpc", "2.0"}, {"id", id ? *id : Json()}, {"error", {{"code", kRequestFailed}, {"message", why}}}};
    parts_.connection.write(answer.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
    return false;
}

void EditorConnection::serve() {
    using Stage = ConnectionDeadlines::Stage;
    Connection& connection = parts_.connection;
    const auto send = [&](const std::string& message) { connection.write(message + '\n'); };
    LanguageServerOptions options;
    options.readsFiles = false;
    Workbench workbench(
        [&](const Json& message) { send(message.dump(-1, ' ', false, Json::error_handler_t::replace)); },
        [&](const Json&, RunnerEvents events) {
            return std::make_unique<ServerRunner>(parts_, user_, std::move(events));
        });
    options.workbench = [&](const Json& id, const std::string& method, const Json& parameters) {
        workbench.request(id, method, parameters);
    };
    options.sessionNames = [&] { return workbench.sessionNames(); };
    LanguageServer server(send, std::move(options));
    connection.setTimeout(kPollMillis);
    // Writes of the workbench's threads wait, too: only the reader checks deadlines and the language server.
    connection.setIdleCheck([&, reader = std::this_thread::get_id()] {
        if (std::this_thread::get_id() != reader) return;
        parts_.deadlines.check(connection.receivedBytes());
        // While nothing arrives: diagnostics of what was typed. Not while a message is being written.
        if (isReading_ && !user_.empty()) {
            isReading_ = false;
            while (server.work()) {
            }
            isReading_ = true;
        }
    });
    struct Detach {
        Connection& connection;
        ~Detach() { connection.setIdleCheck({}); }
    } detach{connection};
    while (!server.hasExited()) {
        parts_.deadlines.enter(user_.empty() ? Stage::Line : Stage::Between, connection.receivedBytes());
        isReading_ = true;
        const bool isOpen = !connection.peek(1).empty();
        const std::string line = isOpen ? connection.readLine(user_.empty() ? kMaxLoginBytes : kMaxMessageBytes) : "";
        isReading_ = false;
        if (!isOpen) return;
        if (user_.empty() && !admit(line)) continue;
        parts_.deadlines.enter(Stage::Work, connection.receivedBytes());
        server.handle(line);
    }
}

}  // namespace pelorus
