#include "server/connection/editor_connection.h"

#include <exception>
#include <thread>

#include "common/audit.h"
#include "common/error.h"
#include "common/hide_secrets.h"
#include "devtools/lsp/language_server.h"
#include "devtools/workbench/workbench.h"
#include "runtime/function/principal.h"
#include "server/access/access_control.h"
#include "server/access/password_login.h"
#include "server/session/session_registry.h"

namespace pelorus {

namespace {

constexpr size_t kMaxMessageBytes = 64 << 20;
constexpr size_t kMaxLoginBytes = 4096;
constexpr size_t kDescriptionBytes = 200;
constexpr int kLookMillis = 100;

// Runs a request on a thread of its own: the server may lower the thread of a long one, and the next one must not be
// slow for that.
template <class Work>
void onFreshThread(const Work& work) {
    std::exception_ptr failure;
    std::thread thread([&] {
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
    });
    thread.join();
    if (failure) std::rethrow_exception(failure);
}

// A session of a user on this server, which runs one request at a time.
class EditorSession {
public:
    EditorSession(const EditorConnection::Parts& parts, RequestSlot& slot, const std::string& user)
        : parts_(parts), slot_(slot), session_(parts.server.host.newSession()) {
        id_ = parts.server.sessions.open(parts.connection.peerHost(), parts.connection.peerPort(),
                                         [&connection = parts.connection] { connection.shutdown(); });
        parts.server.sessions.setUser(id_, parts.server.access.principalOf(user));
        peerHost_ = parts.connection.peerHost();
    }
    ~EditorSession() { parts_.server.sessions.close(id_); }
    EditorSession(const EditorSession&) = delete;
    EditorSession& operator=(const EditorSession&) = delete;

    Value carryOut(std::string_view description, RequestSlot::Details details,
                   const std::function<Value(ScriptSession&, Request&)>& work) {
        Value result;
        onFreshThread([&] {
            if (parts_.server.state->isStopping)
                throw UserError("The server is stopping. RefId: S00005", "Try again when it is back.");
            ++parts_.server.state->requests;
            details.principal = parts_.server.principalOf(id_);
            details.sessionId = id_;
            details.description = hideSecretsInBeginning(description, kDescriptionBytes);
            requireLogin(*details.principal, "");
            const AuditOrigin origin({.user = details.principal->user(),
                                      .address = peerHost_,
                                      .port = parts_.connection.peerPort(),
                                      .session = id_});
            RequestSlot::Run run(slot_, parts_.server.sessions, std::move(details));
            try {
                result = work(*session_, run.request());
                parts_.server.requireSize(run.request().principal(), result);
            } catch (const std::exception& error) {
                ++parts_.server.state->failures;
                auditRefusal(error.what());
                const std::string reason = slot_.explain("");
                if (!reason.empty()) throw UserError(reason);
                throw;
            }
        });
        slot_.takeLowered();
        return result;
    }

    // Stops the running request.
    void interrupt() {
        const SessionStatus status = parts_.server.sessions.status(id_);
        if (status.running.request) status.running.request->cancelled = true;
    }
    std::shared_ptr<const Principal> principal() const { return parts_.server.principalOf(id_); }

private:
    const EditorConnection::Parts& parts_;
    RequestSlot& slot_;
    const std::unique_ptr<ScriptSession> session_;
    std::string peerHost_;
    int64_t id_ = 0;
};

class ServerRunner final : public ScriptRunner {
public:
    ServerRunner(const EditorConnection::Parts& parts, const std::string& user, RunnerEvents events)
        : events_(std::move(events)),
          name_(parts.server.nodeName),
          scripts_(parts, parts.scripts, user),
          panels_(parts, parts.panels, user) {}

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

private:
    const RunnerEvents events_;
    const std::string name_;
    Progress progress_;
    EditorSession scripts_, panels_;
};

}  // namespace

// Logs in by the first request. Returns false, with an answer sent, for any other one.
bool EditorConnection::admit(const std::string& line) {
    const Json message = Json::parse(line, nullptr, false);
    const Json* id = findMember(message, "id");
    const Json* parameters = findMember(message, "params");
    std::string why = "The first request must be pelorus/connect with user and password.";
    if (id && parameters && message.value("method", Json()) == "pelorus/connect") {
        try {
            const std::string user = stringMember(*parameters, "user");
            const AuditOrigin origin(
                {.user = user, .address = parts_.connection.peerHost(), .port = parts_.connection.peerPort()});
            requirePassword(parts_.server.access, parts_.server.throttle.get(),
                            {.user = user,
                             .password = stringMember(*parameters, "password"),
                             .address = parts_.connection.peerHost()});
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
    LanguageServer server(send, std::move(options));
    connection.setPatience(kLookMillis);
    // Writes of the workbench's threads wait, too: only the reader looks at deadlines and at the language server.
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
