#include "apps/node/node_listeners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <typeinfo>

#include "apps/node/node_services.h"
#include "apps/process/node_settings.h"
#include "common/check.h"
#include "common/error.h"
#include "common/io/file.h"
#include "common/io/file_sandbox.h"
#include "common/log.h"
#include "database/service/configuration.h"
#include "database/service/node_identity.h"
#include "net/connection.h"
#include "net/tls_stream.h"
#include "runtime/memory/budget.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/access/login_throttle.h"
#include "server/connection/page_files.h"
#include "server/connection/server.h"
#include "server/jobs/job_queue.h"
#include "server/jobs/schedules.h"
#include "server/line_protocol/line_keys.h"
#include "server/line_protocol/line_listener.h"
#include "server/session/debugged_sessions.h"
#include "server/session/request_limits.h"
#include "server/session/session_registry.h"
#include "sql/query_monitor.h"

namespace pelorus {
namespace {

constexpr double kBytesPerGigabyte = 1 << 30;
constexpr double kMaxResultGigabytes = 8;

// Returns null when the server offers no TLS. A server without a certificate makes a self-signed one.
std::shared_ptr<const TlsContext> openTls(const NodeSettings& settings) {
    if (!settings.offersTls) {
        if (settings.requireTls) throw UserError("requireTls and enableHTTPS=false contradict each other.");
        return nullptr;
    }
    if (settings.tlsCertificate.empty() != settings.tlsKey.empty())
        throw UserError("tlsCertificate and tlsKey are given together.",
                        "Leave both out for a certificate of the server's own.");
    if (!settings.tlsCertificate.empty()) return TlsContext::forServer(settings.tlsCertificate, settings.tlsKey);
    const std::string folder = settings.dataFolder + "/tls";
    std::filesystem::create_directories(folder);
    ensureCertificate(folder + "/certificate.pem", folder + "/key.pem", settings.host);
    return TlsContext::forServer(folder + "/certificate.pem", folder + "/key.pem");
}

// Returns the GB that the result of one request may take: as set, else a part of the memory.
double chooseResultGigabytes(const NodeSettings& settings) {
    const double memoryGigabytes = static_cast<double>(memory::limitBytes()) / kBytesPerGigabyte;
    const double gigabytes = settings.maxResultGigabytes;
    if (gigabytes > 0 && memoryGigabytes > 0 && gigabytes > 0.8 * memoryGigabytes) {
        throw UserError(fmt::format("memLimitOfQueryResult must be at most 80 % of maxMemSize, which are {:.3g} GB.",
                                    0.8 * memoryGigabytes));
    }
    if (gigabytes != 0) return gigabytes;
    return memoryGigabytes > 0 ? std::min(kMaxResultGigabytes, 0.5 * memoryGigabytes) : kMaxResultGigabytes;
}

std::shared_ptr<RequestLimits> addLimits(const NodeListeners::Node& node) {
    auto limits = std::make_shared<RequestLimits>();
    limits->maxResultBytes = static_cast<int64_t>(chooseResultGigabytes(node.settings) * kBytesPerGigabyte);
    limits->maxRequestSeconds = node.settings.maxRequestSeconds;
    node.services.find<Configuration>()->values["memLimitOfQueryResult"] =
        fmt::format("{}", static_cast<double>(limits->maxResultBytes) / kBytesPerGigabyte);
    node.services.add(limits);
    return limits;
}

LineOptions lineOptionsOf(const NodeSettings& settings) {
    LineOptions options{settings.lineDatabase, settings.lineUser, settings.linePort};
    if (settings.lineKeys.empty()) return options;
    const std::string file = (std::filesystem::path(settings.dataFolder) / settings.lineKeys).string();
    options.keys = std::make_shared<const LineKeys>(readWholeFile(FileSystem::posix(), file), file);
    options.host = settings.host;
    options.requireTls = settings.requireTls;
    return options;
}

std::string webRootOf(const NodeSettings& settings) {
    if (settings.webRoot.empty()) return "";
    return (std::filesystem::path(settings.dataFolder) / settings.webRoot).string();
}

ServerParts partsOf(const NodeListeners::Node& node) {
    ServerParts parts{node.host, *node.own.sessions, node.access, *node.own.policy};
    parts.throttle =
        std::make_shared<LoginThrottle>(LoginThrottle::Options{.locksUsers = node.settings.enhancedSecurity});
    parts.debugged = std::make_shared<DebuggedSessions>();
    parts.page = std::make_shared<const PageFiles>(webRootOf(node.settings));
    parts.services = &node.services;
    node.services.add(parts.debugged);
    node.services.add(parts.throttle);
    return parts;
}

template <class Service>
void requireService(const Services& services) {
    CHECK(services.find<Service>() != nullptr)
        << "a node has all services before it serves, for threads look them up and nothing guards them; missing: "
        << typeid(Service).name();
}

template <class... Service>
void requireServices(const Services& services) {
    (requireService<Service>(services), ...);
}

}  // namespace

std::string psqlCommand(const std::string& host, int port) {
    return fmt::format("psql postgresql://admin:123456@{}:{}/pelorus", host, port);
}

NodeListeners::NodeListeners(const Node& node, std::unique_ptr<Acceptor> port)
    : settings_(node.settings),
      services_(node.services),
      tls_(openTls(node.settings)),
      lines_(std::make_shared<const LineService>(LineService{node.services, lineOptionsOf(node.settings)})),
      limits_(addLimits(node)),
      server_([&] {
          ServerParts parts = partsOf(node);
          parts.tls = tls_;
          parts.lines = lines_;
          parts.limits = limits_;
          auto server = std::make_unique<Server>(std::move(port), *node.own.identity, std::move(parts));
          if (settings_.postgresPort >= 0) {
              auto further = std::make_unique<Acceptor>(settings_.host, settings_.postgresPort);
              postgresPort_ = further->port();
              server->listenOn(std::move(further));
          }
          return server;
      }()),
      lineListener_(node.settings.linePort < 0
                        ? nullptr
                        : std::make_unique<LineListener>(*lines_, node.access, *node.own.identity, tls_)) {}

NodeListeners::~NodeListeners() = default;

void NodeListeners::start() {
    requireServices<NodeIdentity, SessionRegistry, ClientPolicy, FileSandbox, AccessControl, PrincipalSource,
                    RightsKeeper, DebuggedSessions, RequestLimits, LoginThrottle, QueryMonitor, JobQueue, Schedules>(
        services_);
    server_->start();
    if (lineListener_) {
        lineListener_->start();
        std::printf("The line protocol is spoken on %s:%d.\n",
                    lines_->options.keys ? lines_->options.host.c_str() : "127.0.0.1", lineListener_->port());
    }
    if (postgresPort_ != 0)
        std::printf("PostgreSQL's clients are served on %s:%d, too.\n", settings_.host.c_str(), postgresPort_);
    std::printf("Pelorus listens on %s:%d.\n", settings_.host.c_str(), server_->port());
    // Behind the line that programs wait for.
    if (settings_.dev)
        std::printf("%s\n", psqlCommand(settings_.host, postgresPort_ != 0 ? postgresPort_ : server_->port()).c_str());
    std::fflush(stdout);
    logInfo("server", "listening", {{"host", settings_.host}, {"port", server_->port()}});
}

void NodeListeners::stopLines() {
    if (lineListener_) lineListener_->stop();
}

void NodeListeners::stopClients() {
    server_->stop();
}

}  // namespace pelorus
