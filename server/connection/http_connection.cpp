#include "server/connection/http_connection.h"
#include "server/access/access_control.h"
#include "server/session/connection_deadlines.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/hide_secrets.h"
#include "common/io/audit.h"
#include "common/io/base64.h"
#include "common/log.h"
#include "common/thread/mutex.h"
#include "devtools/reference/reference_pages.h"
#include "net/connection.h"
#include "net/host_name.h"
#include "net/web_socket_frames.h"
#include "runtime/function/principal.h"
#include "runtime/memory/budget.h"
#include "runtime/serialize/value_codec.h"
#include "server/access/password_login.h"
#include "server/connection/json_interface.h"
#include "server/connection/line_session.h"
#include "server/connection/origin_rule.h"
#include "server/connection/page_files.h"
#include "server/connection/results_for_client.h"
#include "server/line_protocol/line_http.h"
#include "server/line_protocol/url_query.h"
#include "server/session/fresh_threads.h"
#include "server/session/json_sessions.h"
#include "server/session/server_state.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

constexpr int kDrainMillis = 2000;
// Maximum size of a body without the id of its session in the path, from an address where a user has a session.
constexpr int64_t kNeighbourBytes = int64_t{8} << 20;
constexpr std::string_view kWritePaths[] = {"/write", "/api/v2/write"};
constexpr std::string_view kAppendPath = "/append", kReferencePath = "/docs/";
// A message of a language model is small.
constexpr int64_t kModelBytes = int64_t{4} << 20;
constexpr std::pair<std::string_view, HttpConnection::End> kSubprotocols[] = {
    {"pelorus", HttpConnection::End::Editor},
    {"debug", HttpConnection::End::Debugger},
    {"streaming", HttpConnection::End::Subscriber},
};

bool isWritePath(std::string_view path) {
    return std::find(std::begin(kWritePaths), std::end(kWritePaths), path) != std::end(kWritePaths);
}

bool isLinePath(std::string_view path) {
    return isWritePath(path) || path == kAppendPath || path == "/ping" || path == "/settings" || path == "/exec";
}

HttpResponse jsonProblem(int status, std::string_view message) {
    HttpResponse response;
    response.status = status;
    response.contentType = "application/json";
    response.body = formatJsonError(0, "", message);
    return response;
}

HttpResponse plain(std::string body, int status = 200) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

// Returns the id in "/<id>"; 0 for any other path.
int64_t sessionInPath(const std::string& path) {
    const std::string digits = path.substr(std::min<size_t>(1, path.size()));
    if (digits.empty() || digits.size() > 19 || digits.find_first_not_of("0123456789") != std::string::npos) return 0;
    return std::strtoll(digits.c_str(), nullptr, 10);
}

// Returns the beginning of a script or function name as the description of a request, without passwords.
std::string descriptionOf(const JsonRequest& request) {
    return hideSecretsInBeginning(request.runsScript() ? request.script() : request.function, 200);
}

}  // namespace

HttpConnection::HttpConnection(Connection& connection, ServerParts& parts, RequestSlot& slot,
                               ConnectionDeadlines& deadlines, bool onlyAdministrators)
    : connection_(connection),
      parts_(parts),
      slot_(slot),
      deadlines_(deadlines),
      onlyAdministrators_(onlyAdministrators),
      lines_(std::make_unique<LineSession>(connection, parts)) {}

HttpConnection::~HttpConnection() = default;

HttpConnection::End HttpConnection::serve() {
    End end = End::Closed;
    serveOnFreshThreads([&] {
        const std::optional<End> ended = serveOne();
        if (ended) end = *ended;
        return ended ? Served::End : slot_.takeLowered() ? Served::MoreElsewhere : Served::More;
    });
    return end;
}

// Answers one request. Returns nothing when the client may send another one.
std::optional<HttpConnection::End> HttpConnection::serveOne() {
    using Stage = ConnectionDeadlines::Stage;
    deadlines_.enter(Stage::Headers, connection_.receivedBytes());
    std::optional<HttpRequest> request;
    try {
        request = readHttpRequest(
            connection_, [this](const HttpRequest& head) { return bodyLimit(head); },
            [this] { deadlines_.enter(Stage::Body, connection_.receivedBytes()); });
    } catch (const HttpError& error) {
        write(nullptr, jsonProblem(error.status(), error.what()), false);
        connection_.drain(kDrainMillis);
        return End::Closed;
    } catch (const UserError& error) {
        write(nullptr, jsonProblem(408, error.what()), false);
        return End::Closed;
    }
    if (!request) return End::Closed;
    deadlines_.enter(Stage::Work, connection_.receivedBytes());
    if (request->headerHas("connection", "upgrade") && request->headerHas("upgrade", "websocket")) {
        std::optional<HttpResponse> refusal = upgrade(*request);
        if (!refusal) return upgraded_;
        write(&*request, std::move(*refusal), false);
        return End::Closed;
    }
    HttpResponse response = answer(*request);
    const bool keepAlive = request->keepAlive && !parts_.state->isStopping && !onlyAdministrators_;
    write(&*request, std::move(response), keepAlive);
    if (!keepAlive) return End::Closed;
    deadlines_.enter(Stage::HttpIdle, connection_.receivedBytes());
    if (connection_.peekSome().empty()) return End::Closed;
    return std::nullopt;
}

void HttpConnection::write(const HttpRequest* request, HttpResponse response, bool keepAlive) {
    if (request) {
        allowOrigin(*request, response);
        response.hasBody = request->method != "HEAD";
    }
    const std::string head = formatHttpHead(response, keepAlive);
    connection_.write(head, response.hasBody ? std::string_view(response.body) : std::string_view());
}

// A page of an allowed origin may read the answer.
void HttpConnection::allowOrigin(const HttpRequest& request, HttpResponse& response) const {
    const std::string origin = allowedOrigin(request, parts_.policy);
    if (origin.empty()) return;
    response.headers.emplace_back("Access-Control-Allow-Origin", origin);
    response.headers.emplace_back("Vary", "Origin");
}

int64_t HttpConnection::bodyLimit(const HttpRequest& request) {
    if (request.method != "POST") return kLoginBytes;
    if (parts_.lines && (isWritePath(request.path()) || request.path() == kAppendPath))
        return lines_->authenticate(request).empty() ? maxRequestBytes() : kLoginBytes;
    if (request.path() == kModelPath)
        return lines_->authenticate(request).empty() ? std::min(kModelBytes, maxRequestBytes()) : kLoginBytes;
    if (parts_.policy.guestsMayRun) return maxRequestBytes();
    // The id in the path opens the session. An id in the body is known only when the body has come: a client at the
    // address of a user gets more than other unauthenticated clients, but not a user's share of the memory.
    const int64_t id = sessionInPath(request.path());
    const SessionStatus session = id == 0 ? SessionStatus() : parts_.sessions.status(id);
    if (session.opensById && session.userId != "guest" && session.remoteHost == connection_.peerHost())
        return maxRequestBytes();
    return parts_.jsonSessions->knowsUserAt(connection_.peerHost()) ? std::min(kNeighbourBytes, maxRequestBytes())
                                                                    : kLoginBytes;
}

HttpResponse HttpConnection::answer(HttpRequest& request) {
    const std::string path = request.path();
    if (path.empty()) return jsonProblem(400, "The path of the request is malformed.");
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (reads && path == "/health") {
        return parts_.state->isStopping ? plain("stopping\n", 503) : plain("ok\n");
    }
    if (std::string why = whyForeign(request, parts_.policy, parts_.nodeName); !why.empty()) {
        logWarning("server", "request of a foreign page refused", {{"from", connection_.peerHost()}, {"why", why}});
        return jsonProblem(403, why);
    }
    if (request.method == "OPTIONS") {
        HttpResponse response;
        response.status = 204;
        response.headers = {{"Allow", "GET, HEAD, POST, OPTIONS"}};
        if (!allowedOrigin(request, parts_.policy).empty()) {
            response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
            response.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
            response.headers.emplace_back("Access-Control-Max-Age", "600");
        }
        return response;
    }
    if (parts_.lines && isLinePath(path)) return answerLines(request, path);
    if (path == "/docs" || path.starts_with(kReferencePath)) return answerReference(request, path, reads);
    if (path == kModelPath && parts_.services) return answerModel(request);
    if (path == "/metrics") return reads ? metrics(request) : jsonProblem(405, "/metrics is read by GET.");
    if (reads && parts_.page && sessionInPath(path) == 0) {
        if (std::optional<HttpResponse> file = parts_.page->answer(request, path)) return std::move(*file);
    }
    if (path == "/" || sessionInPath(path) != 0) {
        if (request.method == "POST") return answerJson(request);
        if (reads && path == "/") {
            return plain(
                fmt::format("Pelorus, a time-series database, listens here.\n"
                            "Browser:  open this address: the page of the node\n"
                            "Console:  pelorus connect {0}\n"
                            "Python:   dolphindb.session(); connect(host, port, user, password)\n"
                            "HTTP:     POST {{\"functionName\":\"executeCode\",\"params\":[{{\"name\":\"script\","
                            "\"form\":\"scalar\",\"type\":\"string\",\"value\":\"1+1\"}}]}} to /\n",
                            request.header("host")));
        }
        return jsonProblem(405, "POST a request of JSON to this path; docs/formats/wire.md describes it.");
    }
    return reads || request.method == "POST" ? jsonProblem(404, "There is nothing at " + path + ".")
                                             : jsonProblem(405, "Only GET, HEAD, POST and OPTIONS are answered.");
}

// Metrics reveal too much: from other machines only users get them, by Basic authentication.
bool HttpConnection::mayRead(const HttpRequest& request) const {
    if (isLoopbackAddress(connection_.peerHost())) return true;
    const std::string_view given = request.header("authorization");
    std::string pair;
    if (!given.starts_with("Basic ") || !fromBase64(given.substr(6), pair)) return false;
    const size_t colon = pair.find(':');
    if (colon == std::string::npos) return false;
    const std::string address = connection_.peerHost();
    const AuditOrigin origin({.user = "guest", .address = address, .port = connection_.peerPort()});
    requirePassword(parts_.access, parts_.throttle.get(),
                    {.user = std::string_view(pair).substr(0, colon),
                     .password = std::string_view(pair).substr(colon + 1),
                     .address = address});
    return true;
}

HttpResponse HttpConnection::metrics(const HttpRequest& request) {
    std::string problem;
    try {
        if (!mayRead(request))
            problem = "From other machines, /metrics is for users: send their name and password by Basic.";
    } catch (const UserError& error) {
        problem = errorText(error);
    }
    if (!problem.empty()) {
        HttpResponse response = jsonProblem(401, problem);
        response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"Pelorus\"");
        return response;
    }
    const ServerState& state = *parts_.state;
    const std::vector<SessionStatus> sessions = parts_.sessions.all();
    const auto running = std::count_if(sessions.begin(), sessions.end(),
                                       [](const SessionStatus& s) { return s.running.request != nullptr; });
    const auto uptime = std::chrono::duration<double>(std::chrono::steady_clock::now() - state.started).count();
    std::string string;
    const auto add = [&string](const char* name, const char* kind, const char* help, auto number) {
        string +=
            fmt::format("# HELP pelorus_{0} {1}\n# TYPE pelorus_{0} {2}\npelorus_{0} {3}\n", name, help, kind, number);
    };
    add("uptime_seconds", "gauge", "Seconds since the server started.", uptime);
    add("connections_accepted_total", "counter", "Connections that were accepted.", state.accepted.load());
    add("connections_refused_total", "counter", "Connections for which there was no place.", state.refused.load());
    add("sessions", "gauge", "Sessions that are open.", sessions.size());
    add("requests_running", "gauge", "Requests that run now.", running);
    add("requests_total", "counter", "Requests that were begun.", state.requests.load());
    add("requests_failed_total", "counter", "Requests that ended with an error.", state.failures.load());
    add("memory_used_bytes", "gauge", "Memory that counts against maxMemSize.", memory::usedBytes());
    add("memory_limit_bytes", "gauge", "maxMemSize.", memory::limitBytes());
    add("memory_resident_bytes", "gauge", "Resident memory of the process.", memory::residentBytes());
    HttpResponse response = plain(std::move(string));
    response.contentType = "text/plain; version=0.0.4; charset=utf-8";
    return response;
}

HttpResponse HttpConnection::answerLines(HttpRequest& request, const std::string& path) {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (path == "/ping" || path == "/settings") {
        if (!reads) return lineProblem(405, "method not allowed", path + " is read by GET.");
        return path == "/ping" ? linePing() : lineSettings();
    }
    if (path == "/exec" ? !reads : request.method != "POST")
        return lineProblem(405, "method not allowed", path + (path == "/exec" ? " is read by GET." : " takes POST."));
    if (parts_.state->isStopping) return lineProblem(503, "unavailable", "The server is stopping.");
    if (std::string why = lines_->authenticate(request); !why.empty()) {
        deadlines_.loggedOut();
        return lineProblem(401, "unauthorized", why);
    }
    deadlines_.loggedIn();
    ++parts_.state->requests;
    const LineSession::Kind kind = path == "/exec"       ? LineSession::Kind::Query
                                   : path == kAppendPath ? LineSession::Kind::Rows
                                                         : LineSession::Kind::Lines;
    HttpResponse response = lines_->answer(request, slot_, kind, onlyAdministrators_);
    if (response.status >= 400) ++parts_.state->failures;
    return response;
}

// The pages tell of functions, and nothing of the node: anybody may read them.
HttpResponse HttpConnection::answerReference(const HttpRequest& request, const std::string& path, bool reads) {
    if (!reads) return jsonProblem(405, "The reference is read by GET.");
    HttpResponse response;
    if (path == "/docs") {
        response.status = 308;
        response.headers.emplace_back("Location", std::string(kReferencePath));
        return response;
    }
    std::optional<ReferencePage> page = referencePage(std::string_view(path).substr(kReferencePath.size()));
    if (!page) return jsonProblem(404, "The reference has no page " + path + ".");
    response.contentType = std::move(page->contentType);
    response.headers = {{"Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"},
                        {"Cache-Control", "max-age=600"},
                        {"Vary", "Accept-Encoding"}};
    const bool isPacked = !page->packed.empty() && request.headerHas("accept-encoding", "gzip");
    if (isPacked) response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::move(isPacked ? page->packed : page->bytes);
    return response;
}

HttpResponse HttpConnection::answerModel(HttpRequest& request) {
    if (request.method != "POST") {
        HttpResponse response = jsonProblem(405, "Language models POST their messages to /mcp.");
        response.headers.emplace_back("Allow", "POST");
        return response;
    }
    if (parts_.state->isStopping) return jsonProblem(503, "The server is stopping.");
    if (std::string why = lines_->authenticate(request); !why.empty()) {
        deadlines_.loggedOut();
        HttpResponse response = jsonProblem(401, why);
        response.headers.emplace_back("WWW-Authenticate", "Bearer");
        return response;
    }
    deadlines_.loggedIn();
    ++parts_.state->requests;
    HttpResponse response = lines_->answer(request, slot_, LineSession::Kind::Model, onlyAdministrators_);
    if (response.status >= 400) ++parts_.state->failures;
    return response;
}

HttpResponse HttpConnection::answerJson(const HttpRequest& request) {
    HttpResponse response;
    response.contentType = "application/json";
    int64_t sessionId = 0;
    std::string user = "guest";
    try {
        if (parts_.state->isStopping) {
            response.status = 503;
            throw UserError("The server is stopping. RefId: S00005", "Try again when it is back.");
        }
        const JsonRequest json = parseJsonRequest(request.body);
        sessionId = json.sessionId != 0 ? json.sessionId : sessionInPath(request.path());
        std::shared_ptr<JsonSessions::Session> session;
        if (sessionId == 0) {
            session = parts_.jsonSessions->open(connection_.peerHost(), connection_.peerPort());
        } else if (!(session = parts_.jsonSessions->find(sessionId))) {
            throw UserError("There is no session " + std::to_string(sessionId) + ", or it has ended.",
                            "Begin a new one by the sessionID 0.");
        }
        sessionId = session->id;
        if (!session->busy.try_lock())
            throw UserError("The session " + std::to_string(sessionId) + " is busy with another request.",
                            "Wait for its answer, or use another session.");
        const MutexLock busy(session->busy, std::adopt_lock);
        user = parts_.sessions.status(sessionId).userId;
        const LogSession logged(sessionId);
        const std::string asking = user, address = connection_.peerHost();
        const AuditOrigin origin(
            {.user = asking, .address = address, .port = connection_.peerPort(), .session = sessionId});
        ++parts_.state->requests;
        if (onlyAdministrators_) parts_.requireAdministrator(sessionId);
        auto principal = parts_.principalOf(sessionId);
        requireLogin(*principal, json.runsScript() ? "" : json.function);
        RequestSlot::Run run(
            slot_, parts_.sessions,
            {.principal = std::move(principal), .sessionId = sessionId, .description = descriptionOf(json)});
        const Value value = json.runsScript() ? session->script->run(run.request(), json.script())
                                              : session->script->call(run.request(), json.function, json.arguments);
        user = parts_.sessions.status(sessionId).userId;
        parts_.requireSize(run.request().principal(), value);
        response.body = formatJsonAnswer(sessionId, user, value);
    } catch (const std::exception& error) {
        ++parts_.state->failures;
        const std::string failure = slot_.explain(errorText(error)), address = connection_.peerHost();
        const AuditOrigin origin(
            {.user = user, .address = address, .port = connection_.peerPort(), .session = sessionId});
        auditRefusal(failure);
        response.body = formatJsonError(sessionId, user, failure);
    }
    // A client that has logged in keeps the connection.
    if (user == "guest") {
        deadlines_.loggedOut();
    } else {
        deadlines_.loggedIn();
    }
    return response;
}

// Returns nothing when the connection speaks WebSocket from here on.
std::optional<HttpResponse> HttpConnection::upgrade(const HttpRequest& request) {
    if (std::string why = whyForeign(request, parts_.policy, parts_.nodeName); !why.empty()) {
        logWarning("server", "WebSocket of a foreign page refused", {{"from", connection_.peerHost()}, {"why", why}});
        return jsonProblem(403, why);
    }
    if (parts_.state->isStopping) return jsonProblem(503, "The server is stopping.");
    if (request.method != "GET") return jsonProblem(405, "A WebSocket begins with GET.");
    if (request.header("sec-websocket-version") != "13") {
        HttpResponse response = jsonProblem(426, "Version 13 of WebSocket is spoken here.");
        response.headers.emplace_back("Sec-WebSocket-Version", "13");
        return response;
    }
    const std::string_view key = request.header("sec-websocket-key");
    std::string nonce;
    if (!fromBase64(key, nonce) || nonce.size() != 16)
        return jsonProblem(400, "Sec-WebSocket-Key must be 16 bytes in Base64.");
    for (const std::string_view later : {"python", "q"}) {
        if (request.headerHas("sec-websocket-protocol", later))
            return jsonProblem(
                400,
                fmt::format("This version has no subprotocol {} yet; leave it out for requests of the native protocol.",
                            later));
    }
    std::string_view subprotocol;
    for (const auto& [name, end] : kSubprotocols) {
        if (!subprotocol.empty() || !request.headerHas("sec-websocket-protocol", name)) continue;
        subprotocol = name;
        upgraded_ = end;
    }
    if (request.hasHeader("sec-websocket-protocol") && subprotocol.empty())
        return jsonProblem(400, "This subprotocol is not known; leave it out for requests of the native protocol.");
    if (upgraded_ == End::Subscriber) rowFilter_ = UrlQuery(request.target).value("filter");
    HttpResponse response;
    response.status = 101;
    response.headers = {
        {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", web_socket::acceptKey(key)}};
    if (!subprotocol.empty()) response.headers.emplace_back("Sec-WebSocket-Protocol", std::string(subprotocol));
    connection_.write(formatHttpHead(response, true));
    connection_.beginWebSocket();
    return std::nullopt;
}

}  // namespace pelorus
