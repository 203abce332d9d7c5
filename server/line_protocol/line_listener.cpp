#include "server/line_protocol/line_listener.h"

#include <chrono>

#include "common/error.h"
#include "common/io/audit.h"
#include "common/io/base64.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "database/service/node_identity.h"
#include "net/connection.h"
#include "net/host_name.h"
#include "net/tls_stream.h"
#include "runtime/function/principal_source.h"
#include "server/line_protocol/line_keys.h"
#include "server/line_protocol/line_stream.h"

namespace pelorus {
namespace {

constexpr int kAcceptMillis = 100;
constexpr int kPollMillis = 50;
constexpr char kTlsHandshake = 0x16;
constexpr auto kTimeToIdentify = std::chrono::seconds(10);
constexpr int kMaxUnidentified = 64;
constexpr size_t kMaxUserBytes = 512;
constexpr size_t kMaxSignatureBytes = 1024;

struct Stopped {};

}  // namespace

LineListener::LineListener(const LineService& service, PrincipalSource& principals, NodeIdentity& identity,
                           std::shared_ptr<const TlsContext> tls)
    : service_(service),
      principals_(principals),
      identity_(identity),
      tls_(std::move(tls)),
      acceptor_(std::make_unique<Acceptor>(service.options.keys ? service.options.host : "127.0.0.1",
                                           service.options.port)) {}

LineListener::~LineListener() {
    stop();
}

int LineListener::port() const {
    return acceptor_->port();
}

void LineListener::start() {
    acceptThread_ = startThread([this] { acceptLoop(); });
}

void LineListener::stop() {
    stopping_ = true;
    if (acceptThread_.joinable()) acceptThread_.join();
    reap(true);
}

void LineListener::acceptLoop() {
    while (!stopping_) {
        if (auto connection = acceptor_->accept(kAcceptMillis)) startClient(std::move(connection));
        reap(false);
    }
}

void LineListener::startClient(std::unique_ptr<Connection> connection) {
    const bool isCrowded = service_.options.keys && unidentified_ >= kMaxUnidentified;
    if (isCrowded || identity_.connections >= identity_.maxConnections) {
        logWarning("lines", "connection refused",
                   {{"from", connection->peerHost()}, {"why", isCrowded ? "too many wait" : "maxConnections"}});
        return;
    }
    auto client = std::make_unique<Client>();
    client->connection = std::move(connection);
    ++identity_.connections;
    ++unidentified_;
    try {
        client->thread = startThread([this, raw = client.get()] {
            serve(*raw->connection);
            raw->connection->shutdown();
            --identity_.connections;
            raw->hasEnded = true;
        });
    } catch (const SystemError& error) {
        --identity_.connections;
        --unidentified_;
        logWarning("lines", "connection refused", {{"from", client->connection->peerHost()}, {"why", error.what()}});
        return;
    }
    clients_.push_back(std::move(client));
}

void LineListener::reap(bool all) {
    for (auto client = clients_.begin(); client != clients_.end();) {
        if (!all && !(*client)->hasEnded) {
            ++client;
            continue;
        }
        (*client)->thread.join();
        client = clients_.erase(client);
    }
}

// Serves one connection, and logs the error that ends it: the protocol has no answers.
void LineListener::serve(Connection& connection) {
    const std::string address = connection.peerHost();
    try {
        const std::string user = [&] {
            const struct Identified {
                std::atomic<int>& count;
                ~Identified() { --count; }
            } identified{unidentified_};
            return identify(connection);
        }();
        const AuditOrigin origin({.user = user, .address = address, .port = connection.peerPort()});
        takeLines(connection, user);
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
        logWarning("lines", "connection ended", {{"from", address}, {"why", error.what()}});
    }
}

// Returns whose lines will come. With keys, the client names a user, gets a challenge and answers with its signature.
std::string LineListener::identify(Connection& connection) const {
    const auto end = std::chrono::steady_clock::now() + kTimeToIdentify;
    const LineOptions& options = service_.options;
    connection.setTimeout(kPollMillis);
    connection.setIdleCheck([this, &options, end] {
        if (stopping_) throw Stopped{};
        if (options.keys && std::chrono::steady_clock::now() > end)
            throw UserError("Nobody signed the challenge in time.");
    });
    if (connection.sniff() == kTlsHandshake && tls_) connection.beginTls(*tls_);
    if (!options.keys) return options.user;
    if (options.requireTls && !connection.isEncrypted() && !isLoopbackAddress(connection.peerHost()))
        throw UserError("Lines from other machines are taken by TLS only.");
    std::string user = connection.readLine(kMaxUserBytes);
    const std::string challenge = LineKeys::makeChallenge();
    connection.write(challenge, "\n");
    std::string signature;
    const bool isRight = fromBase64(connection.readLine(kMaxSignatureBytes), signature) &&
                         options.keys->verify(user, challenge, signature);
    const std::string address = connection.peerHost();
    const AuditOrigin origin({.user = isRight ? user : "guest", .address = address, .port = connection.peerPort()});
    const std::string detail = "lines userId=" + user;
    audit({.operation = isRight ? "login" : "loginFailed", .detail = detail});
    if (!isRight) throw UserError("The challenge was not signed by a key of " + user + ".");
    principals_.principalOf(user);  // there is such a user
    logInfo("access", "login", {{"user", user}, {"from", address}});
    return user;
}

// Ends at the end of the stream, at a bad line, and when the server stops.
void LineListener::takeLines(Connection& connection, const std::string& user) {
    const std::string address = connection.peerHost();
    LineStream lines(service_, principals_, user);
    const auto fail = [&](const Error& error) {
        logWarning("lines", "line refused",
                   {{"from", address},
                    {"table", lines.errorTable()},
                    {"line", lines.errorLine()},
                    {"committedRows", lines.committedRows()},
                    {"why", error.what()}});
    };
    try {
        connection.setIdleCheck([&] {
            lines.commitWhenDue();
            if (stopping_) throw Stopped{};
        });
        size_t cut = 0;
        while (!stopping_) {
            const std::string_view bytes = connection.peek(cut + 1);
            if (bytes.size() <= cut) break;
            // Without a line break among the new bytes the line goes on, and need not be read again.
            if (bytes.find('\n', cut) == std::string_view::npos && bytes.size() <= LineBatch::kMaxLineBytes) {
                cut = bytes.size();
                continue;
            }
            const size_t used = lines.take(bytes);
            connection.skip(used);
            cut = bytes.size() - used;
            lines.commitWhenDue();
        }
    } catch (const Stopped&) {
    } catch (const UserError& error) {
        fail(error);
    } catch (const SystemError& error) {
        logDebug("lines", "connection ended", {{"from", address}, {"why", error.what()}});
    }
    try {
        lines.commit();
    } catch (const Error& error) {
        fail(error);
    }
}

}  // namespace pelorus
