#include "server/postgres/postgres_connection.h"

#include <algorithm>

#include "common/io/audit.h"
#include "common/log.h"
#include "common/thread/stack_room.h"
#include "interpreter/vm/value_stack.h"
#include "net/connection.h"
#include "net/host_name.h"
#include "postgres/sql_error.h"
#include "runtime/function/principal.h"
#include "runtime/serialize/value_codec.h"
#include "server/access/access_control.h"
#include "server/postgres/message_handler.h"
#include "server/postgres/postgres_login.h"
#include "server/postgres/postgres_session.h"
#include "server/postgres/request_scope.h"
#include "server/postgres/wire/error_response.h"
#include "server/postgres/wire/startup.h"
#include "server/session/connection_deadlines.h"
#include "server/session/fresh_threads.h"
#include "server/session/request_slot.h"
#include "server/session/server_parts.h"
#include "server/session/session_registry.h"

namespace pelorus::postgres {
namespace {

constexpr int kDrainMillis = 2000;
constexpr int kPollMillis = 100;
constexpr int kIdlePollMillis = 5000;
constexpr int64_t kMaxMessageBytes = int64_t{1} << 30;
constexpr std::string_view kDatabase = "pelorus";

// Enters the connection among those that can be cancelled, as long as it lives.
class CancelEntry {
public:
    CancelEntry(CancelKeys& keys, int64_t sessionId, std::function<void()> cancel)
        : keys_(keys), key_(keys.add(static_cast<int32_t>(sessionId & INT32_MAX), std::move(cancel))) {}
    ~CancelEntry() { keys_.remove(key_.number); }
    CancelEntry(const CancelEntry&) = delete;
    CancelEntry& operator=(const CancelEntry&) = delete;

    const CancelKeys::Key& key() const { return key_; }

private:
    CancelKeys& keys_;
    const CancelKeys::Key key_;
};

}  // namespace

PostgresConnection::PostgresConnection(const Place& place)
    : place_(place), peerHost_(place.connection.peerHost()), answer_(place.connection) {}

PostgresConnection::~PostgresConnection() = default;

void PostgresConnection::serve() {
    try {
        const StartupRequest request = receiveStartup(place_.connection, place_.server.tls);
        if (request.kind == StartupRequest::Kind::Cancel) {
            place_.server.cancelKeys->cancel(request.processId, request.secret);
        } else if (request.kind == StartupRequest::Kind::Session) {
            serveSession(request);
        }
    } catch (const SystemError& error) {
        logDebug("server", "connection ended", {{"from", peerHost_}, {"why", error.what()}});
    } catch (const SqlError& error) {
        refuse(error);
    } catch (const std::exception& error) {
        refuse(error, "08006");
    }
}

// Tells the client why it must leave.
void PostgresConnection::refuse(const std::exception& error, std::string_view state) {
    try {
        writeError(answer_.messages(), error, Severity::Fatal, {}, state);
        answer_.flush();
        place_.connection.drain(kDrainMillis);
    } catch (const std::exception&) {
        // It has left.
    }
}

void PostgresConnection::auditConnection(std::string_view operation) const {
    const std::string user = place_.server.sessions.status(sessionId_).userId;
    const AuditOrigin origin(
        {.user = user, .address = peerHost_, .port = place_.connection.peerPort(), .session = sessionId_});
    audit({.operation = operation});
}

void PostgresConnection::serveSession(const StartupRequest& request) {
    ServerParts& server = place_.server;
    SessionRegistry& sessions = server.sessions;
    sessionId_ = sessions.open(peerHost_, place_.connection.peerPort(), [this] { place_.connection.shutdown(); });
    // The session is closed however it ends.
    struct Closing {
        PostgresConnection& own;
        ~Closing() {
            if (own.session_) own.endSession();
            own.auditConnection("closeConnection");
            own.place_.server.sessions.close(own.sessionId_);
        }
    } closing{*this};
    auditConnection("newConnection");
    place_.connection.setTimeout(kPollMillis);
    if (server.state->isStopping) throw SqlError("57P03", "the server is stopping");
    const std::string name = request.parameters.at("user");
    const std::string user = [&] {
        const AuditOrigin origin(
            {.user = "guest", .address = peerHost_, .port = place_.connection.peerPort(), .session = sessionId_});
        return logIn({place_.connection, server, answer_, name, peerHost_});
    }();
    try {
        sessions.setUser(sessionId_, server.access.principalOf(user));
        if (place_.onlyAdministrators) server.requireAdministrator(sessionId_);
    } catch (const UserError& error) {
        throw SqlError("53300", error.what(), -1, error.hint());
    }
    if (user != "guest") place_.deadlines.loggedIn();
    begin(request, user);
    const CancelEntry cancel(*server.cancelKeys, sessionId_, [this] {
        isCopyCancelled_ = true;
        place_.slot.cancelIf([] { return true; });
    });
    refuseNewerOptions(request);
    RequestScope scope({place_.connection, server, place_.slot, sessionId_, place_.onlyAdministrators});
    MessageHandler handler(
        *session_, scope, answer_,
        {.nextLetter = [this] { return place_.connection.hasUnread() ? place_.connection.peekSome()[0] : '\0'; },
         .beginCopy = [this] { isCopyCancelled_ = false; },
         .receive = [this]() -> const Frame& { return receiveCopy(); }});
    answer_.messages().begin('K');
    answer_.messages().int32(cancel.key().number);
    answer_.messages().raw(cancel.key().secret);
    answer_.messages().end();
    handler.greet();
    serveMessages(handler, scope);
}

// Makes the session, with the settings of the startup message.
void PostgresConnection::begin(const StartupRequest& request, const std::string& user) {
    const auto given = [&](const char* name) {
        const auto it = request.parameters.find(name);
        return it == request.parameters.end() ? std::string() : it->second;
    };
    std::string database = given("database");
    if (database.empty()) database = kDatabase;
    if (database != kDatabase) {
        throw SqlError("3D000", "database \"" + database + "\" does not exist", -1,
                       "All databases of the node are schemas of the database pelorus.");
    }
    SessionFacts facts;
    facts.user = user;
    facts.database = std::move(database);
    facts.address = peerHost_;
    facts.processId = static_cast<int32_t>(sessionId_ & INT32_MAX);
    session_ = std::make_unique<PostgresSession>(std::move(facts));
    SessionSettings& settings = session_->settings;
    settings.tell("session_authorization", user);
    const auto principal = place_.server.principalOf(sessionId_);
    settings.tell("is_superuser", principal->administers() ? "on" : "off");
    for (const auto& [name, value] : request.parameters) {
        if (name == "user" || name == "database" || name == "replication") continue;
        if (name == "options") {
            applyOptions(settings, value);
        } else {
            settings.set(name, value);
        }
    }
    settings.keepAsInitial();
    session_->noteSettings();
}

// Drops the session's temporary tables, whatever ended it.
void PostgresConnection::endSession() {
    if (session_->facts().temporarySchema.empty()) return;
    try {
        session_->dropTemporary(*place_.server.services);
    } catch (const std::exception& error) {
        logWarning("server", "temporary tables are left", {{"session", sessionId_}, {"why", error.what()}});
    }
}

// Tells a client of a later protocol what is not understood; it goes on without.
void PostgresConnection::refuseNewerOptions(const StartupRequest& request) {
    if (!request.isNewer && request.unknownOptions.empty()) return;
    MessageWriter& messages = answer_.messages();
    messages.begin('v');
    messages.int32(kProtocolVersion);
    messages.int32(static_cast<int32_t>(request.unknownOptions.size()));
    for (const std::string& option : request.unknownOptions) messages.string(option);
    messages.end();
}

void PostgresConnection::serveMessages(MessageHandler& handler, RequestScope& scope) {
    Connection& connection = place_.connection;
    connection.setIdleCheck([this, &connection] {
        place_.deadlines.check(connection.receivedBytes());
        checkIdle();
    });
    connection.setRestHook([] {
        ValueStack::ofThread().rest();
        releaseStack();
    });
    try {
        serveOnFreshThreads([&] {
            if (!serveOne(handler, scope)) return Served::End;
            return !scope.isOpen() && place_.slot.takeLowered() ? Served::MoreElsewhere : Served::More;
        });
    } catch (...) {
        // Neither hook nor check may outlive what they refer to.
        connection.setIdleCheck({});
        connection.setRestHook({});
        throw;
    }
    connection.setIdleCheck({});
    connection.setRestHook({});
}

// Receives and answers one message. A request does not last while the client is waited for.
bool PostgresConnection::serveOne(MessageHandler& handler, RequestScope& scope) {
    using Stage = ConnectionDeadlines::Stage;
    Connection& connection = place_.connection;
    if (!connection.hasUnread()) scope.close();
    idleMillis_ = session_->limits().idleMillis;
    idleInBlockMillis_ = session_->transaction.isOpen() ? session_->limits().idleInBlockMillis : 0;
    const bool hasLimit = idleMillis_ > 0 || idleInBlockMillis_ > 0 || place_.deadlines.mustLogIn();
    connection.setTimeout(hasLimit ? kPollMillis : kIdlePollMillis);
    place_.deadlines.enter(Stage::Between, connection.receivedBytes());
    idleSince_ = Clock::now();
    isIdle_ = true;
    const bool hasMessage = !connection.peek(1).empty();
    isIdle_ = false;
    if (!hasMessage) return false;
    place_.deadlines.enter(Stage::Body, connection.receivedBytes());
    connection.setTimeout(kPollMillis);
    if (!readFrame(connection, std::min(kMaxMessageBytes, maxRequestBytes()), frame_)) return false;
    place_.deadlines.enter(Stage::Work, connection.receivedBytes());
    return handler.handle(frame_.letter, frame_.body);
}

// Waits for a message of a copy.
const Frame& PostgresConnection::receiveCopy() {
    using Stage = ConnectionDeadlines::Stage;
    Connection& connection = place_.connection;
    // The stage of waiting, whatever ends it.
    struct Waiting {
        PostgresConnection& own;
        explicit Waiting(PostgresConnection& connection) : own(connection) {
            own.place_.deadlines.enter(Stage::Between, own.place_.connection.receivedBytes());
            own.isCopying_ = true;
        }
        ~Waiting() {
            own.isCopying_ = false;
            own.place_.deadlines.enter(Stage::Work, own.place_.connection.receivedBytes());
        }
    } const waiting(*this);
    try {
        if (!readFrame(connection, std::min(kMaxMessageBytes, maxRequestBytes()), copyFrame_))
            throw ClientLeft("The client left in the middle of COPY.");
    } catch (const ClientLeft&) {
        throw;
    } catch (const SystemError& error) {
        throw ClientLeft(error.what());
    }
    if (isCopyCancelled_) throw SqlError(sql_state::kQueryCanceled, "canceling statement due to user request");
    return copyFrame_;
}

// Ends a session that is idle for longer than its settings allow. Called while a read waits.
void PostgresConnection::checkIdle() const {
    if (isCopying_ && isCopyCancelled_)
        throw SqlError(sql_state::kQueryCanceled, "canceling statement due to user request");
    if (!isIdle_) return;
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - idleSince_).count();
    if (idleInBlockMillis_ > 0 && millis > idleInBlockMillis_)
        throw SqlError("25P03", "terminating connection due to idle-in-transaction timeout");
    if (idleMillis_ > 0 && millis > idleMillis_)
        throw SqlError("57P05", "terminating connection due to idle-session timeout");
}

}  // namespace pelorus::postgres
