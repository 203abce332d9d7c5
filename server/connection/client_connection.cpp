#include "server/connection/client_connection.h"

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "net/host_name.h"
#include "net/http_request.h"
#include "net/payload_flags.h"
#include "net/tls_stream.h"
#include "net/web_socket_frames.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "runtime/registry/registry.h"
#include "runtime/serialize/arrow_payload.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/table/table.h"
#include "runtime/table/value_bytes.h"
#include "runtime/value/gathered_bytes.h"
#include "server/access/access_control.h"
#include "server/access/password_login.h"
#include "server/connection/console_reporter.h"
#include "server/connection/debug_connection.h"
#include "server/connection/editor_connection.h"
#include "server/connection/http_connection.h"
#include "server/connection/results_for_client.h"
#include "server/postgres/postgres_connection.h"
#include "server/session/debugged_sessions.h"
#include "server/session/fresh_threads.h"
#include "server/session/held_answer.h"
#include "server/session/json_sessions.h"
#include "server/session/session_registry.h"
#include "streaming/publication/publications.h"

namespace pelorus {
namespace {

// Time for the client of a broken connection to read the error that ends it.
constexpr int kDrainMillis = 2000;
// Time for a client that still sends a value which does not fit into memory: it reads nothing before it has sent all.
constexpr int kUploadDrainMillis = 120'000;
// Intervals between checks of a client's deadlines, and of an idle client that has logged in.
constexpr int kPollMillis = 100;
constexpr int kIdlePollMillis = 5000;
// Bytes of a message in addition to the body: the request line, and values of a request.
constexpr int64_t kMaxBodyOverhead = 4096;
// Length of a request's description in getConsoleJobs.
constexpr size_t kDescriptionBytes = 200;
constexpr char kTlsHandshake = 0x16;
constexpr std::string_view kSubscriberFunctions[] = {"publishTable", "stopPublishTable",
                                                     "activeClosePublishConnection"};
constexpr int64_t kMaxBodyBytes = int64_t{1} << 30;

std::string readBody(Connection& connection, int64_t sizeBytes, int64_t mostBytes) {
    if (sizeBytes > mostBytes) {
        throw UserError("A request of " + std::to_string(sizeBytes) + " bytes is too long: at most " +
                            std::to_string(mostBytes) + " are taken.",
                        mostBytes == kLoginBytes ? "Log in first." : "Send it in parts, or raise maxRequestBytes.");
    }
    std::string body;
    // Grows as the bytes arrive, so that a claimed length costs nothing.
    while (static_cast<int64_t>(body.size()) < sizeBytes) {
        const size_t have = body.size();
        const size_t piece = std::min<size_t>(static_cast<size_t>(sizeBytes) - have, std::max<size_t>(have, 1 << 20));
        body.resize(have + piece);
        connection.read(body.data() + have, piece);
    }
    return body;
}

// Notes, as a request ends, whether it was cancelled.
struct CancelledNote {
    const Request& request;
    bool& isCancelled;
    ~CancelledNote() { isCancelled = request.cancelled; }
};

}  // namespace

ClientConnection::ClientConnection(std::unique_ptr<Connection> connection, ServerParts& parts, bool onlyAdministrators)
    : connection_(std::move(connection)),
      parts_(parts),
      onlyAdministrators_(onlyAdministrators),
      peerHost_(connection_->peerHost()),
      deadlines_(parts.policy),
      push_(*connection_) {
    if (!parts_.debugged) parts_.debugged = std::make_shared<DebuggedSessions>();
    if (!parts_.jsonSessions) parts_.jsonSessions = std::make_shared<JsonSessions>(parts_.host, parts_.sessions);
    connection_->setIdleCheck([this] { deadlines_.check(connection_->receivedBytes()); });
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::serve() {
    char first = 0;
    try {
        deadlines_.enter(ConnectionDeadlines::Stage::Line, 0);
        first = connection_->sniff();
        isSilent_ = false;
        if (first == kTlsHandshake && parts_.tls) {
            connection_->beginTls(*parts_.tls);
            const std::string_view inside = connection_->peek(1);
            first = inside.empty() ? '\0' : inside[0];
        }
        serveProtocol(first);
    } catch (const UserError& error) {
        // Nothing came in time. The peer is notified in its protocol, or by the end of the stream.
        if (first != 'A' && first != 0) return;
        try {
            write(formatError(0, errorText(error)));
        } catch (const std::exception&) {
        }
    } catch (const std::exception& error) {
        // The connection is lost or the protocol violated: no peer is left to notify.
        logDebug("server", "connection ended", {{"from", peerHost_}, {"why", error.what()}});
    }
}

// Chooses the protocol by the first byte: a native request, PostgreSQL's, HTTP, or an unknown one.
void ClientConnection::serveProtocol(char first) {
    const bool isPlain = parts_.policy.requireTls && !connection_->isEncrypted() && !isLoopbackAddress(peerHost_);
    if (first == 'A' && connection_->peek(3).substr(0, 3) == "API") {
        if (isPlain) return write(formatError(0, "This server takes connections from other machines by TLS only."));
        return serveNative();
    }
    // A message of PostgreSQL's protocol begins with its length, which is short before the login.
    if (first == 0 && parts_.services) {
        return postgres::PostgresConnection({*connection_, parts_, deadlines_, slot_, onlyAdministrators_}).serve();
    }
    if (first < 'A' || first > 'Z') {
        logInfo("server", "unknown protocol", {{"from", peerHost_}, {"firstByte", static_cast<int>(first)}});
        return;
    }
    if (isPlain) {
        const HttpResponse refusal{.status = 403,
                                   .body = "This server takes connections from other machines by TLS only.\n"};
        return connection_->write(formatHttpHead(refusal, false), refusal.body);
    }
    HttpConnection http(*connection_, parts_, slot_, deadlines_, onlyAdministrators_);
    switch (http.serve()) {
        case HttpConnection::End::Subscriber:
            isSubscriber_ = true;
            rowFilter_ = http.rowFilter();
            return serveNative();
        case HttpConnection::End::WebSocket:
            return serveNative();
        case HttpConnection::End::Editor:
            return serveEditor();
        case HttpConnection::End::Debugger:
            return serveDebugger();
        case HttpConnection::End::Closed:
            return;
    }
}

// Messages of an unauthenticated client are as short as a login.
void ClientConnection::limitMessages() {
    if (connection_->isWebSocket())
        connection_->setMessageLimit((isUnauthenticated() ? kLoginBytes : maxRequestBytes()) + kMaxBodyOverhead);
}

void ClientConnection::serveEditor() {
    // The last places are for administrators who mend something, by the native protocol.
    if (onlyAdministrators_)
        return connection_->closeWebSocket(web_socket::CloseCode::GoingAway, "all places are taken");
    isReadMeanwhile_ = true;
    limitMessages();
    EditorConnection editor({.connection = *connection_,
                             .server = parts_,
                             .deadlines = deadlines_,
                             .scripts = slot_,
                             .panels = panelSlot_,
                             .debugged = debugSlot_,
                             .loggedIn = [this] { limitMessages(); }});
    editor.serve();
    connection_->closeWebSocket(web_socket::CloseCode::GoingAway, "");
}

void ClientConnection::serveDebugger() {
    if (onlyAdministrators_)
        return connection_->closeWebSocket(web_socket::CloseCode::GoingAway, "all places are taken");
    isReadMeanwhile_ = true;
    limitMessages();
    DebugConnection debugger(
        {.connection = *connection_, .server = parts_, .deadlines = deadlines_, .slot = slot_, .loggedIn = [this] {
             limitMessages();
         }});
    try {
        debugger.serve();
        connection_->closeWebSocket(web_socket::CloseCode::GoingAway, "");
    } catch (const UserError& error) {
        // The rest of the stream cannot be read: the connection ends.
        logInfo("server", "debugger ended", {{"from", peerHost_}, {"why", error.what()}});
        connection_->closeWebSocket(web_socket::CloseCode::ProtocolError, error.what());
    }
}

void ClientConnection::serveNative() {
    session_ = parts_.host.newSession();
    sessionId_ =
        parts_.sessions.open(connection_->peerHost(), connection_->peerPort(), [this] { connection_->shutdown(); });
    auditConnection("newConnection");
    connection_->setRestHook([this] { session_->rest(); });
    limitMessages();
    try {
        serveOnFreshThreads([this] {
            if (stopping_ || !handleOne()) return Served::End;
            return slot_.takeLowered() ? Served::MoreElsewhere : Served::More;
        });
        if (connection_->isWebSocket()) connection_->closeWebSocket(web_socket::CloseCode::GoingAway, "");
    } catch (const memory::OutOfMemory& error) {
        refuseUpload(error);
    } catch (const SystemError&) {
        // The client has left.
    } catch (const std::exception& error) {
        // The bytes after the broken request cannot be parsed: say why, and end.
        try {
            // The peer of a bad frame has already got a close frame.
            if (!dynamic_cast<const web_socket::FrameError*>(&error)) write(formatError(sessionId_, errorText(error)));
            if (connection_->isWebSocket()) connection_->closeWebSocket(web_socket::CloseCode::ProtocolError, "");
            if (isUnauthenticated()) {
                connection_->drain(kDrainMillis);
            } else {
                connection_->drainMessage(kDrainMillis, kUploadDrainMillis);
            }
        } catch (const std::exception&) {
        }
    }
    auditConnection("closeConnection");
    parts_.sessions.close(sessionId_);
}

// A value grew over the memory limit while it arrived. Where it ends cannot be known without reading it, so the
// connection ends, once the client has sent the rest and can read why.
void ClientConnection::refuseUpload(const Error& error) {
    const std::string user = parts_.sessions.status(sessionId_).userId;
    logWarning("connection", "a value that a client sent does not fit into memory",
               {{"user", user}, {"address", peerHost_}, {"reason", error.what()}});
    try {
        write(formatError(sessionId_, errorText(error) + " The value was not taken; connect again."));
        if (connection_->isWebSocket()) connection_->closeWebSocket(web_socket::CloseCode::GoingAway, "out of memory");
        connection_->drainMessage(kDrainMillis, kUploadDrainMillis);
    } catch (const std::exception&) {
        // The client has left.
    }
}

void ClientConnection::auditConnection(std::string_view operation) const {
    const std::string user = parts_.sessions.status(sessionId_).userId;
    const AuditOrigin origin(auditedClient(user));
    audit({.operation = operation});
}

AuditOrigin::Client ClientConnection::auditedClient(std::string_view user) const {
    return {.user = user, .address = peerHost_, .port = connection_->peerPort(), .session = sessionId_};
}

// Returns false at the end of the stream. Throws UserError when the request is malformed, and when values follow it
// that must not be read: its end is then unknown.
bool ClientConnection::handleOne() {
    using Stage = ConnectionDeadlines::Stage;
    const LogSession session(sessionId_);
    if (connection_->peek(1).empty()) return false;
    connection_->setTimeout(kPollMillis);
    deadlines_.enter(Stage::Line, connection_->receivedBytes());
    const RequestLine line = parseRequestLine(connection_->readLine(kMaxRequestLineBytes));
    deadlines_.enter(Stage::Body, connection_->receivedBytes());
    const int64_t mostBytes = isUnauthenticated() ? kLoginBytes : std::min(kMaxBodyBytes, maxRequestBytes());
    RequestBody body = parseRequestBody(readBody(*connection_, line.bodyBytes, mostBytes));
    if (body.valueCount > 0) admit(body);
    std::vector<Value> values = readValues(line, body);
    deadlines_.enter(Stage::Work, connection_->receivedBytes());
    // The user as the message arrives: a login is a guest's.
    const std::string user = parts_.sessions.status(sessionId_).userId;
    const AuditOrigin origin(auditedClient(user));
    if (body.kind == RequestKind::Connect) {
        try {
            login(body);
            noteUser();
            write(formatAnswer(sessionId_, false));
        } catch (const Error& error) {
            hasFailedToLogIn_ = true;
            write(formatError(sessionId_, errorText(error)));
        }
    } else {
        carryOut(line, body, std::move(values));
        noteUser();
    }
    if (publication_) {
        servePublication();
        return false;
    }
    if (line.has(request_flag::kClearMemory)) session_->clear();
    deadlines_.enter(Stage::Between, connection_->receivedBytes());
    // A client that has logged in may be idle for any time.
    connection_->setTimeout(deadlines_.mustLogIn() ? kPollMillis : kIdlePollMillis);
    return true;
}

// Sends the rows to which the client has subscribed, until one side ends it.
void ClientConnection::servePublication() {
    const std::shared_ptr<Publication> publication = std::move(publication_);
    push_.serve(*parts_.services->find<Publications>(), publication);
}

// Returns whether the request is one that subscribers send.
bool ClientConnection::mayMakeOffer(const RequestBody& body) const {
    if (body.kind != RequestKind::Function || !parts_.services || !parts_.services->find<Publications>()) return false;
    const auto& names = kSubscriberFunctions;
    return std::find(std::begin(names), std::end(names), std::string_view(body.string)) != std::end(names);
}

// Reads the values of a request; the sender's rights decide which kinds are accepted.
std::vector<Value> ClientConnection::readValues(const RequestLine& line, const RequestBody& body) {
    const bool isNode = line.has(request_flag::kNode) && parts_.sessions.status(sessionId_).isNode;
    const Peer peer = isNode ? Peer::Node : isUnauthenticated() ? Peer::Login : Peer::Client;
    DecodeBudget budget(peer);
    std::vector<Value> values;
    for (int32_t i = 0; i < body.valueCount; ++i) values.push_back(decodeValue(*connection_, peer, budget));
    return values;
}

// A request may have changed the session's user.
void ClientConnection::noteUser() {
    const bool isGuest = parts_.sessions.status(sessionId_).userId == "guest";
    if (!isGuest) hasFailedToLogIn_ = false;
    if (isGuest) {
        deadlines_.loggedOut();
    } else {
        deadlines_.loggedIn();
    }
    limitMessages();
}

void ClientConnection::login(const RequestBody& body) {
    if (!body.hasLogin) return;
    if (const auto actingFor = parts_.access.nodeUser(body.user, body.password)) {
        return parts_.sessions.setUser(sessionId_, parts_.access.principalOf(*actingFor, true));
    }
    requirePassword(parts_.access, parts_.throttle.get(),
                    {.user = body.user, .password = body.password, .address = peerHost_});
    parts_.sessions.setUser(sessionId_, parts_.access.principalOf(body.user));
    if (onlyAdministrators_) parts_.requireAdministrator(sessionId_);
}

// Returns the principal of the request. Throws UserError when this user may not send it.
std::shared_ptr<const Principal> ClientConnection::admit(const RequestBody& body) const {
    if (onlyAdministrators_) parts_.requireAdministrator(sessionId_);
    auto principal = parts_.principalOf(sessionId_);
    requireLogin(*principal, body.kind == RequestKind::Function ? std::string_view(body.string) : "");
    return principal;
}

// Looks up the answer to a numbered request of a client that repeats requests: writes the answer that is kept and
// returns true, or makes `running`, by which the answer is kept, and returns false.
bool ClientConnection::answerRepeat(const RequestLine& line, std::optional<KeptAnswers::Running>& running) {
    if (line.clientId.empty() || line.sequence == 0 || line.sequence == INT64_MIN || isUnauthenticated()) return false;
    const KeptAnswers::RequestKey key{parts_.sessions.status(sessionId_).userId, line.clientId,
                                      std::abs(line.sequence)};
    const auto kept = parts_.answers->begin(key, line.sequence < 0);
    if (!kept) {
        running.emplace(*parts_.answers, key);
        return false;
    }
    if (line.has(request_flag::kAsynchronous)) return true;
    if (!kept->failure.empty()) {
        write(formatError(sessionId_, kept->failure));
    } else {
        write(formatAnswer(sessionId_, !kept->bytes.empty()) + kept->bytes);
    }
    return true;
}

// Clients that do without the answer to an upload.
static constexpr uint32_t kReadsNoPlaces = request_flag::kApiClient | request_flag::kNode | request_flag::kConsole;

// Whether the client reads tables as streams of Arrow: a pickle session says the same bit for something else.
static bool wantsArrow(const RequestLine& line) {
    return line.has(request_flag::kArrow) && !line.has(request_flag::kPickle);
}

// Returns what Go clients read after an upload: a number for each variable, in the family where it is. -1 says nowhere.
static Value placesOfUploads(size_t count) {
    const Value nowhere = Value::ofLong(-1);
    return count == 1 ? nowhere : Value::of(Vector::filled(Type::Long, static_cast<int64_t>(count), nowhere));
}

void ClientConnection::carryOut(const RequestLine& line, RequestBody& body, std::vector<Value> values) {
    std::optional<KeptAnswers::Running> running;
    try {
        if (answerRepeat(line, running)) return;
    } catch (const UserError& error) {
        return write(formatError(sessionId_, errorText(error)));
    }
    Value result;
    std::string failure;
    HeldAnswer held(parts_.sessions, sessionId_);
    GatheredBytes answer;
    bool hasValue = false, blocks = false, isCancelled = false;
    ++parts_.state->requests;
    try {
        if (parts_.state->isStopping)
            throw UserError("The server is stopping. RefId: S00005", "Try again when it is back.");
        const bool isAsynchronous = line.has(request_flag::kAsynchronous);
        auto principal = admit(body);
        const auto accessState = parts_.access.state();
        const UserEntry* user = accessState->user(principal->user());
        RequestSlot::Details details{
            .principal = std::move(principal),
            .sessionId = sessionId_,
            .description = hideSecretsInBeginning(body.string, kDescriptionBytes),
            .priority = user ? std::min(line.priority, user->maxJobPriority) : line.priority,
            .parallelism = user ? std::min(line.parallelism, user->maxJobParallelism) : line.parallelism,
            .isUrgent = line.has(request_flag::kUrgent)};
        const auto print = [this](std::string_view string) { write(formatPrint(string)); };
        std::optional<ConsoleReporter> console;  // outlives the request
        if (line.acceptsPrints && !isAsynchronous && line.has(request_flag::kConsole)) {
            console.emplace(print);
            details.print = [&](std::string_view string) { console->print(string); };
            details.notice = [&](std::string_view string) { console->notice(string); };
            details.progress = &console->progress();
        } else if (line.acceptsPrints && !isAsynchronous) {
            details.print = print;
            // The client of a WebSocket is an editor or a page, where a person reads prints.
            if (connection_->isWebSocket())
                details.notice = [print](std::string_view string) { print("Note: " + std::string(string)); };
        }
        details.endsWithClient = !isAsynchronous;
        RequestSlot::Run run(slot_, parts_.sessions, std::move(details));
        const CancelledNote note{run.request(), isCancelled};
        session_->ignoreCaseOfFunctions(line.has(request_flag::kForeignDialect));
        std::optional<Publications::Offer> offer;
        if (mayMakeOffer(body))
            offer.emplace(
                *parts_.services->find<Publications>(), run.request(),
                Publications::Offer::Client{.host = peerHost_,
                                            .port = connection_->peerPort(),
                                            .takesMessages = isSubscriber_ || line.has(request_flag::kReverseStreaming),
                                            .filter = rowFilter_});
        result = evaluate(run.request(), body, values);
        if (offer) publication_ = offer->release();
        if (body.kind == RequestKind::Variable && !line.has(kReadsNoPlaces))
            result = placesOfUploads(body.names.size());
        parts_.requireSize(run.request().principal(), result);
        if (console) {
            console->finish();
            result = namedForConsole(result);
        }
        if (line.has(request_flag::kDecimalAsDouble)) result = withoutDecimals(result);
        // A WebSocket answer is one message.
        blocks = line.fetchRows > 0 && result.isTable() && !connection_->isWebSocket();
        const bool toNode = line.has(request_flag::kNode) && parts_.sessions.status(sessionId_).isNode;
        // VOID is sent as no object; NULL and the placeholder of a default are values.
        hasValue = !result.isVoid() || result.extra() != 0 || toNode;
        if (hasValue && !blocks && !(wantsArrow(line) && !toNode && encodeArrowTable(result, answer)))
            encodeValue(result, toNode ? Peer::Node : Peer::Client, answer);
        held.take(blocks ? memoryBytesOf(result) : answer.size(), run.request().principal());
        if (!blocks) result = Value();
    } catch (const std::exception& error) {
        ++parts_.state->failures;
        failure = slot_.explain(errorText(error));
        auditRefusal(failure);
        if (failure.empty()) failure = "The request failed.";
        if (publication_) parts_.services->find<Publications>()->remove(std::exchange(publication_, nullptr));
    }
    // A request that was cancelled, or refused because the server stops, may succeed as a repeat.
    if (running && !isCancelled && !blocks && !parts_.state->isStopping) {
        const bool isShort = failure.empty() && answer.size() <= static_cast<int64_t>(KeptAnswers::kMaxBytes);
        if (isShort || !failure.empty()) running->keep({failure, isShort ? answer.joined() : std::string()});
    }
    running.reset();
    if (line.has(request_flag::kAsynchronous)) return;
    if (!failure.empty()) return write(formatError(sessionId_, failure));
    write(formatAnswer(sessionId_, hasValue), answer);
    if (blocks) writeBlocks(result, line.fetchRows);
}

Value ClientConnection::evaluate(Request& request, RequestBody& body, std::vector<Value>& values) {
    switch (body.kind) {
        case RequestKind::Script:
            return session_->run(request, body.string);
        case RequestKind::Function:
            return session_->call(request, body.string, std::move(values));
        case RequestKind::Variable:
            for (size_t i = 0; i < body.names.size(); ++i) session_->setVariable(body.names[i], std::move(values[i]));
            return Value();
        case RequestKind::Connect:
            break;
    }
    return Value();
}

// Writes a table as an ANY vector of tables, so that the client can begin before all has arrived.
void ClientConnection::writeBlocks(const Value& value, int64_t blockRows) {
    Ref<MemoryTable> table = tableToRead(value);
    if (!table) table = MemoryTable::empty(value.table().columns());
    const MemoryTable& rows = *table;
    const int64_t total = rows.rowCount();
    const int64_t count = std::max<int64_t>(1, (total + blockRows - 1) / blockRows);
    const int32_t shape[2] = {static_cast<int32_t>(count), 1};
    std::string bytes("\x19\x01", 2);
    bytes.append(reinterpret_cast<const char*>(shape), sizeof shape);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t begin = i * blockRows;
        GatheredBytes block;
        encodeValue(Value::of(Ref<Table>(rows.slice(begin, std::min(blockRows, total - begin)))), Peer::Client, block);
        write(bytes, block);
        bytes.clear();
    }
}

void ClientConnection::write(std::string_view head, const GatheredBytes& bytes) {
    std::vector<std::string_view> pieces = bytes.pieces();
    pieces.insert(pieces.begin(), head);
    connection_->write(pieces);
}

void ClientConnection::write(std::string_view bytes) {
    connection_->write(bytes);
}

void ClientConnection::turnAway(const std::string& reason) {
    isTurnedAway_ = true;
    try {
        write(formatError(0, reason));  // fits into the empty buffer of the socket
    } catch (const std::exception&) {
        // It has left.
    }
    connection_->shutdown();
}

void ClientConnection::turnAway() {
    isTurnedAway_ = true;
    connection_->shutdown();
}

void ClientConnection::stop() {
    stopping_ = true;
    slot_.stop();
    panelSlot_.stop();
    debugSlot_.stop();
    push_.stop();
    connection_->shutdown();
}

void ClientConnection::tend() {
    push_.tend();
    if (!isReadMeanwhile_) slot_.cancelIf([this] { return connection_->pollPeer(); });
    const double maxSeconds = parts_.limits ? parts_.limits->maxRequestSeconds.load() : 0;
    slot_.tend(maxSeconds);
    panelSlot_.tend(maxSeconds);
    debugSlot_.tend(maxSeconds);
}

}  // namespace pelorus
