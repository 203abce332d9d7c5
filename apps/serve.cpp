// pelorus serve: a node for clients and, in a cluster, for other nodes.
#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/commands.h"
#include "apps/node/cluster_node.h"
#include "apps/node/end_signals.h"
#include "apps/process/file_folders.h"
#include "apps/process/node_settings.h"
#include "apps/process/settings_table.h"
#include "apps/process/stop_deadline.h"
#include "apps/process/wiring.h"
#include "common/error.h"
#include "common/io/file.h"
#include "common/io/file_sandbox.h"
#include "common/log.h"
#include "common/time/trading_calendar.h"
#include "database/service/configuration.h"
#include "database/service/database_service.h"
#include "database/service/node_identity.h"
#include "net/connection.h"
#include "net/tls_stream.h"
#include "runtime/memory/allocator.h"
#include "runtime/memory/budget.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/access/login_throttle.h"
#include "server/access/password_hash.h"
#include "server/connection/request_limits.h"
#include "server/connection/server.h"
#include "server/jobs/job_log.h"
#include "server/jobs/job_queue.h"
#include "server/jobs/schedules.h"
#include "server/line_protocol/line_keys.h"
#include "server/line_protocol/line_listener.h"
#include "server/session/debugged_sessions.h"
#include "server/session/engine_host.h"
#include "server/session/session_registry.h"
#include "sql/query_monitor.h"
#include "storage/version/metadata_embedded.h"

namespace pelorus {
namespace {

// The share of one user in the connections of a small server.
constexpr int kLeastSessionsOfUser = 16;
// A node that was told to stop is gone within five seconds, whatever its requests do.
constexpr auto kStopTimeout = std::chrono::milliseconds(4700);
constexpr std::string_view kDevelopmentPassword = "123456";

// Adds a service that is destroyed before the others, since it watches their store.
template <class T>
void lend(Services& services, T* service) {
    services.add(std::shared_ptr<T>(std::shared_ptr<void>(), service));
}

// A new data folder gets an administrator. Its password is shown once, unless it was given.
void ensureAdministrator(AccessControl& users, const NodeSettings& settings) {
    const std::string admin(kAdministrator);
    if (settings.dev) return users.setPassword(admin, kDevelopmentPassword);
    if (users.hasUser(admin)) return;
    if (!settings.adminPassword.empty()) {
        users.makeAdministrator(settings.adminPassword);
        return;
    }
    const std::string password = randomPassword();
    if (!users.makeAdministrator(password)) return;
    std::printf("The user admin has the password %s — it is shown only now; changePwd changes it.\n", password.c_str());
}

// Opens the log file: from here on the server logs there.
void beginLog(const NodeSettings& settings) {
    LogOptions options = settings.log;
    if (options.file == "-") {
        options.file.clear();
    } else {
        const std::filesystem::path file = std::filesystem::path(settings.dataFolder) / options.file;
        std::filesystem::create_directories(file.parent_path());
        options.file = file.string();
    }
    configureLog(options);
}

// The file is the data folder's, so it is opened after the folder is ours.
void beginAudit(const NodeSettings& settings, const std::string& alias) {
    if (!settings.enableAuditLog) return;
    AuditOptions options{
        .file = "audit.log", .rotateBytes = settings.auditRotateBytes, .keptFiles = settings.auditKeptFiles};
    options.file = (std::filesystem::path(settings.dataFolder) / options.file).string();
    options.node = alias;
    configureAudit(options);
}

// Returns null when the server offers no TLS. A server without a certificate makes a self-signed one.
std::shared_ptr<const TlsContext> tlsOf(const NodeSettings& settings) {
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

constexpr double kBytesPerGigabyte = 1 << 30;
constexpr double kMaxResultGigabytes = 8;

std::shared_ptr<RequestLimits> limitsOf(const NodeSettings& settings) {
    const double memoryGigabytes = static_cast<double>(memory::limitBytes()) / kBytesPerGigabyte;
    double gigabytes = settings.maxResultGigabytes;
    if (gigabytes > 0 && memoryGigabytes > 0 && gigabytes > 0.8 * memoryGigabytes) {
        throw UserError(fmt::format("memLimitOfQueryResult must be at most 80 % of maxMemSize, which are {:.3g} GB.",
                                    0.8 * memoryGigabytes));
    }
    if (gigabytes == 0)
        gigabytes = memoryGigabytes > 0 ? std::min(kMaxResultGigabytes, 0.5 * memoryGigabytes) : kMaxResultGigabytes;
    auto limits = std::make_shared<RequestLimits>();
    limits->maxResultBytes = static_cast<int64_t>(gigabytes * kBytesPerGigabyte);
    limits->maxRequestSeconds = settings.maxRequestSeconds;
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

}  // namespace

int serveCommand(const CommandArguments& arguments) {
    // Never deleted: the ends of all that is below may take long, and so may the end of the process, where libraries
    // stop their threads; OpenBLAS has waited for one without end.
    [[maybe_unused]] static StopDeadline* deadline = nullptr;
    const EndSignals endSignals;
    const NodeSettings settings = parseNodeSettings(arguments);
    registerAllFunctions();
    memory::boundResidentMemory();
    ::umask(077);
    beginLog(settings);
    logInfo("server", "starting",
            {{"data", settings.dataFolder}, {"host", settings.host}, {"port", settings.port}, {"dev", settings.dev}});

    const auto identity = std::make_shared<NodeIdentity>();
    const auto sessions = std::make_shared<SessionRegistry>();
    const std::shared_ptr<FileSandbox> fileFolders = openFileFolders(settings);
    const auto policy = std::make_shared<ClientPolicy>();
    identity->alias = settings.alias;
    identity->maxConnections = settings.maxConnections;
    sessions->limitSessionsOfUser(std::max(kLeastSessionsOfUser, settings.maxConnections / 4));
    policy->guestsMayRun = settings.guestsMayRun;
    policy->guestsOwnData = settings.dev;
    policy->allowedHosts = settings.allowedHosts;
    policy->allowedOrigins = settings.allowedOrigins;
    policy->requireTls = settings.requireTls;
    policy->enhancedSecurity = settings.enhancedSecurity;
    const auto throttle =
        std::make_shared<LoginThrottle>(LoginThrottle::Options{.locksUsers = settings.enhancedSecurity});
    if (settings.maxRequestBytes > 0) setMaxRequestBytes(settings.maxRequestBytes);

    ProcessOptions options = processOptionsOf(settings);
    options.servedAt = settings.host + ':' + std::to_string(settings.port);
    Process process(options);
    auto& configured = process.mutableServices().find<Configuration>()->values;
    configured.merge(reportedSettings(settings, true));
    configured["localSite"] = options.servedAt + ':' + settings.alias;
    configured["fileFolders"] = fileFolders->folders();
    if (!settings.etcdEndpoints.empty()) configured["mode"] = "datanode";
    setTradingCalendarFolder((std::filesystem::path(settings.dataFolder) / settings.calendarFolder).string());
    Services& services = process.mutableServices();
    // The folder is ours, or refused, before anybody connects. A node of a cluster opens it with its own storage.
    if (settings.etcdEndpoints.empty()) services.find<DatabaseService>()->catalog();
    services.add(identity);
    services.add(sessions);
    services.add(policy);
    services.add(fileFolders);
    // A node of a cluster announces its port to the others before it serves.
    std::unique_ptr<Acceptor> acceptor = openPort(settings.host, settings.port, *identity);
    std::unique_ptr<ClusterNode> node;
    if (!settings.etcdEndpoints.empty()) node = std::make_unique<ClusterNode>(settings, *identity, services);
    // Users and rights of a development server are forgotten when it ends.
    const auto forgotten = memoryMetaStore();
    MetaStore& names = services.find<DatabaseService>()->catalog().store();
    const auto access = std::make_unique<AccessControl>(settings.dev ? *forgotten : names, names, *policy);
    if (!settings.dev) access->takeOver(settings.dataFolder + "/users.json");
    lend<AccessControl>(services, access.get());
    lend<PrincipalSource>(services, access.get());
    lend<RightsKeeper>(services, access.get());
    EngineHost host(services);
    ServerParts parts{host, *sessions, *access, *policy};
    const std::shared_ptr<const TlsContext> tlsContext = tlsOf(settings);
    parts.tls = tlsContext;
    parts.throttle = throttle;
    parts.debugged = std::make_shared<DebuggedSessions>();
    services.add(parts.debugged);
    const auto lines = std::make_shared<const LineService>(LineService{services, lineOptionsOf(settings)});
    parts.lines = lines;
    parts.limits = limitsOf(settings);
    configured["memLimitOfQueryResult"] = fmt::format("{}", parts.limits->maxResultBytes / kBytesPerGigabyte);
    services.add(parts.limits);
    Server server(std::move(acceptor), *identity, std::move(parts));
    std::unique_ptr<LineListener> lineListener;
    if (settings.linePort >= 0) lineListener = std::make_unique<LineListener>(*lines, *access, *identity, tlsContext);

    beginAudit(settings, identity->alias);

    access->setClusterKey(settings.clusterKey);
    ensureAdministrator(*access, settings);
    const auto jobLog = std::make_shared<JobLog>(FileSystem::posix(), settings.dataFolder + "/batchJob.log");
    JobQueueOptions queue{.workers = settings.batchWorkers, .log = jobLog};
    queue.capsOf = [&access = *access](const std::string& user) {
        const auto state = access.state();
        const UserEntry* entry = state->user(user);
        return entry ? JobCaps{entry->maxJobPriority, entry->maxJobParallelism} : JobCaps{};
    };
    const auto jobs = std::make_shared<JobQueue>(host, std::move(queue));
    services.add(throttle);
    services.add(std::make_shared<QueryMonitor>());
    services.add(jobs);
    // Fires from now on: functions of schedules may call whatever the node has.
    const auto schedules =
        std::make_shared<Schedules>(names, *jobs, Schedules::Options{.node = identity->alias, .log = jobLog});
    services.add(schedules);
    server.start();
    if (lineListener) {
        lineListener->start();
        std::printf("The line protocol is spoken on %s:%d.\n",
                    lines->options.keys ? lines->options.host.c_str() : "127.0.0.1", lineListener->port());
    }
    std::printf("Pelorus listens on %s:%d.\n", settings.host.c_str(), server.port());
    std::fflush(stdout);

    logInfo("server", "listening", {{"host", settings.host}, {"port", server.port()}});

    const int signal = endSignals.wait();
    deadline = new StopDeadline(kStopTimeout, StopDeadline::endProcess);
    std::printf("Stopping.\n");
    logInfo("server", "stopping", {{"signal", signal}});
    if (lineListener) lineListener->stop();
    schedules->stop();
    server.stop();
    jobs->stop();
    logInfo("server", "stopped");
    return 0;
}

}  // namespace pelorus
