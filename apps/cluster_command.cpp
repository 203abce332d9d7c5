// pelorus cluster up|status|down: a cluster on this machine, in one folder, with its own etcd.
//
//   DIR/cluster.json        ports, key and first password; readable by its owner only
//   DIR/<node>.cfg          settings of a node;  DIR/<node>/ its data
//   DIR/etcd/               the metadata store
//   DIR/*.log, DIR/*.pid    output and process ids
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/commands.h"
#include "apps/managed_process.h"
#include "apps/node/cluster_node.h"
#include "apps/node/node_listeners.h"
#include "apps/process/node_settings.h"
#include "apps/process/program_path.h"
#include "common/error.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/forced_copy.h"
#include "distributed/metadata/metadata_etcd.h"
#include "net/client.h"
#include "server/access/password_hash.h"

namespace pelorus {
namespace {

constexpr const char* kHost = "127.0.0.1";
constexpr int kMaxNodes = 64, kMaxReplicas = 5, kNewNodes = 3;
constexpr int kStartSeconds = 60;
constexpr auto kAnswerWithin = std::chrono::seconds(3);
constexpr int kStopMillis = 20000;

struct Options {
    std::string folder;
    int nodes = 0;     // 0: unchanged; 3 for a new cluster
    int replicas = 0;  // 0: unchanged; 1 for a new cluster
    // The cluster listens on loopback, for one person: it has the well-known first password, unless --secure asks for a
    // random one.
    bool dev = true;
};

struct NodePlan {
    std::string alias;
    int port = 0;
};

struct ClusterPlan {
    int etcdPort = 0;
    int etcdPeerPort = 0;
    std::string key;
    std::string password;
    bool dev = false;
    int replicas = 1;  // copies of partitions that are made from now on
    std::vector<NodePlan> nodes;
};

int countOf(const std::string& option, const std::string& text, int most) {
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most)
        throw UserError(option + " must be a number from 1 to " + std::to_string(most) + ", but it is " + text + ".");
    return count;
}

Options parseOptions(const CommandArguments& arguments) {
    Options options;
    for (size_t i = 1; i < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        if (option == "--secure") {
            options.dev = false;
        } else if (option == "--dev") {
            options.dev = true;
        } else if (option == "--dir" && i + 1 < arguments.size()) {
            options.folder = std::filesystem::absolute(arguments[++i]).lexically_normal();
        } else if (option == "--nodes" && i + 1 < arguments.size()) {
            options.nodes = countOf(option, arguments[++i], kMaxNodes);
        } else if (option == "--replicas" && i + 1 < arguments.size()) {
            options.replicas = countOf(option, arguments[++i], kMaxReplicas);
        } else {
            throw UserError("pelorus cluster does not understand " + option + ".",
                            "Use pelorus cluster up --nodes N [--replicas N] --dir DIR [--secure], status --dir DIR, "
                            "or down --dir DIR.");
        }
    }
    if (options.folder.empty()) throw UserError("Say where the cluster lives with --dir DIR.");
    while (options.folder.size() > 1 && options.folder.back() == '/') options.folder.pop_back();
    return options;
}

std::string planPath(const std::string& folder) {
    return folder + "/cluster.json";
}

bool readPlan(const std::string& folder, ClusterPlan& plan) {
    std::ifstream file(planPath(folder));
    if (!file) return false;
    try {
        const nlohmann::json json = nlohmann::json::parse(file);
        plan.etcdPort = json.at("etcdPort");
        plan.etcdPeerPort = json.at("etcdPeerPort");
        plan.key = json.at("key");
        plan.password = json.at("password");
        plan.dev = json.at("dev");
        plan.replicas = json.value("replicas", 1);
        for (const nlohmann::json& node : json.at("nodes")) plan.nodes.push_back({node.at("alias"), node.at("port")});
    } catch (const nlohmann::json::exception& error) {
        throw SystemError(planPath(folder) + " is damaged: " + error.what() + ".");
    }
    return true;
}

void writePlan(const std::string& folder, const ClusterPlan& plan) {
    nlohmann::json json = {{"etcdPort", plan.etcdPort},
                           {"etcdPeerPort", plan.etcdPeerPort},
                           {"key", plan.key},
                           {"password", plan.password},
                           {"dev", plan.dev},
                           {"replicas", plan.replicas},
                           {"nodes", {}}};
    for (const NodePlan& node : plan.nodes) json["nodes"].push_back({{"alias", node.alias}, {"port", node.port}});
    std::ofstream file(planPath(folder));
    file << json.dump(1) << '\n';
    if (!file.flush()) throw SystemError("Cannot write " + planPath(folder) + ".");
}

// Assigns a free port in place of each that is 0 or is taken by someone else now.
void choosePorts(ClusterPlan& plan, const std::string& folder, const std::vector<ManagedProcess>& processes) {
    std::vector<int*> ports{&plan.etcdPort, &plan.etcdPeerPort};
    std::vector<bool> running{processes[0].isRunning(), processes[0].isRunning()};
    for (size_t i = 0; i < plan.nodes.size(); ++i) {
        ports.push_back(&plan.nodes[i].port);
        running.push_back(processes[i + 1].isRunning());
    }
    std::vector<std::unique_ptr<Acceptor>> taken;  // all at once, so that no port is chosen twice
    for (size_t i = 0; i < ports.size(); ++i) {
        if (running[i]) continue;
        try {
            taken.push_back(std::make_unique<Acceptor>(kHost, *ports[i]));
        } catch (const SystemError&) {
            taken.push_back(std::make_unique<Acceptor>(kHost, 0));
            const std::string name = i < 2 ? "etcd" : plan.nodes[i - 2].alias;
            std::printf("The port %d of %s is taken by another process; it has the port %d from now on.\n", *ports[i],
                        name.c_str(), taken.back()->port());
        }
        *ports[i] = taken.back()->port();
    }
    writePlan(folder, plan);
}

// etcd first, then the nodes.
std::vector<ManagedProcess> processesOf(const std::string& folder, const ClusterPlan& plan) {
    std::vector<ManagedProcess> processes;
    processes.emplace_back(folder, "etcd", folder + "/etcd");
    for (const NodePlan& node : plan.nodes) {
        processes.emplace_back(folder, node.alias, folder + "/" + node.alias + ".cfg");
    }
    return processes;
}

void startEtcd(ManagedProcess& process, const std::string& folder, const ClusterPlan& plan) {
    const std::string client = std::string("http://") + kHost + ':' + std::to_string(plan.etcdPort);
    const std::string peer = std::string("http://") + kHost + ':' + std::to_string(plan.etcdPeerPort);
    process.start(
        {"etcd", "--data-dir", folder + "/etcd", "--listen-client-urls", client, "--advertise-client-urls", client,
         "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer,
         // The one member takes its new address when the peer port has changed.
         std::string("--force-new-cluster=") + (std::filesystem::exists(folder + "/etcd/member") ? "true" : "false"),
         "--max-txn-ops", "8000", "--max-request-bytes", "33554432", "--auto-compaction-mode", "revision",
         "--auto-compaction-retention", "10000"});
}

void writeNodeSettings(const std::string& folder, const ClusterPlan& plan, const NodePlan& node) {
    const std::string path = folder + "/" + node.alias + ".cfg";
    std::ofstream file(path);
    file << "host=" << kHost << "\nport=" << node.port << "\nalias=" << node.alias << "\ndataDir=" << folder << '/'
         << node.alias << "\netcdEndpoints=" << kHost << ':' << plan.etcdPort << "\nclusterKey=" << plan.key
         << "\nadminPassword=" << plan.password
         << "\nnewValuePartitionPolicy=add\ndev=" << (plan.dev ? "true" : "false")
         << "\ndfsReplicationFactor=" << plan.replicas << '\n';
    if (!file.flush()) throw SystemError("Cannot write " + path + ".");
}

// Calls `ready` until it does not throw. A process that ends meanwhile is an error that shows what it wrote.
template <class Ready>
void awaitReady(const ManagedProcess& process, const Ready& ready) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kStartSeconds);
    for (;;) {
        try {
            return ready();
        } catch (const Error& error) {
            const bool ended = !process.isRunning();
            if (ended || std::chrono::steady_clock::now() > deadline) {
                throw SystemError(process.name() + (ended ? " ended" : " does not answer") + " while it started. " +
                                  process.logPath() + " says:\n" + process.logTail());
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

// Throws SystemError when it does not answer within a few seconds: it may be stopped.
void awaitNode(const NodePlan& node) {
    const auto deadline = std::chrono::steady_clock::now() + kAnswerWithin;
    ClientOptions options;
    options.port = node.port;
    options.idleCheck = [deadline] {
        if (std::chrono::steady_clock::now() > deadline) throw SystemError("it does not answer in time");
    };
    Client(options).call("isNodeInitialized", {});
}

// Does the same for a process that was not started here when it was running then. One that was dying is started.
template <class Ready, class Start>
void awaitReady(const ManagedProcess& process, bool isStarted, const Start& start, const Ready& ready) {
    try {
        awaitReady(process, ready);
    } catch (const SystemError&) {
        if (isStarted || process.isRunning()) throw;
        start();
        awaitReady(process, ready);
    }
}

// Refuses what would not come true.
void requirePossible(const Options& options, const ClusterPlan& plan, bool isNew) {
    const int before = static_cast<int>(plan.nodes.size());
    const int nodes = std::max(before, options.nodes != 0 ? options.nodes : isNew ? kNewNodes : 0);
    if (options.nodes != 0 && options.nodes < before)
        throw UserError("The cluster has " + std::to_string(before) + " nodes; --nodes " +
                            std::to_string(options.nodes) + " takes none away.",
                        "Move what a node keeps to the others with moveReplicas, then stop it.");
    if (options.replicas > nodes)
        throw UserError("--replicas " + std::to_string(options.replicas) + " needs as many nodes, but there are " +
                            std::to_string(nodes) + ".",
                        "Add nodes with --nodes, or ask for fewer copies.");
}

void requireEtcd() {
    if (isOnPath("etcd")) return;
    throw UserError("There is no program etcd, which keeps what the nodes must agree on.",
                    "Install it: apt-get install etcd-server");
}

int up(const Options& options) {
    ::umask(077);
    std::filesystem::create_directories(options.folder);
    ClusterPlan plan;
    const bool isNew = !readPlan(options.folder, plan);
    requirePossible(options, plan, isNew);
    requireEtcd();
    if (isNew) {
        plan.key = randomPassword() + randomPassword();
        plan.password = options.dev ? "123456" : randomPassword();
        plan.dev = options.dev;
    }
    const bool changesReplicas = !isNew && options.replicas != 0 && options.replicas != plan.replicas;
    if (options.replicas != 0) plan.replicas = options.replicas;
    const int wanted = options.nodes == 0 && isNew ? kNewNodes : options.nodes;
    for (int i = static_cast<int>(plan.nodes.size()); i < wanted; ++i) {
        plan.nodes.push_back({"node" + std::to_string(i + 1), 0});
    }
    std::vector<ManagedProcess> processes = processesOf(options.folder, plan);
    choosePorts(plan, options.folder, processes);

    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const auto start = [&](size_t process) {
        if (process == 0) return startEtcd(processes[0], options.folder, plan);
        const NodePlan& node = plan.nodes[process - 1];
        writeNodeSettings(options.folder, plan, node);
        processes[process].start({program, "serve", "--config", options.folder + "/" + node.alias + ".cfg"});
    };
    const auto startUnlessRunning = [&](size_t process) {
        const bool isDown = !processes[process].isRunning();
        if (isDown) start(process);
        return isDown;
    };
    const bool isEtcdStarted = startUnlessRunning(0);
    const auto store = openEtcdMetaStore({std::string(kHost) + ':' + std::to_string(plan.etcdPort)}, "pelorus/");
    awaitReady(
        processes[0], isEtcdStarted, [&] { start(0); }, [&] { store->get("ready"); });
    std::vector<bool> isStarted;
    for (size_t i = 0; i < plan.nodes.size(); ++i) isStarted.push_back(startUnlessRunning(i + 1));
    if (changesReplicas && std::find(isStarted.begin(), isStarted.end(), false) != isStarted.end())
        std::printf(
            "Nodes that run keep the number of copies that they were started with: down, then up, for --replicas "
            "%d on all.\n",
            plan.replicas);
    for (size_t i = 0; i < plan.nodes.size(); ++i)
        awaitReady(
            processes[i + 1], isStarted[i], [&] { start(i + 1); }, [&] { awaitNode(plan.nodes[i]); });
    std::printf("The cluster in %s is up:\n", options.folder.c_str());
    for (const NodePlan& node : plan.nodes) std::printf("  %s  %s:%d\n", node.alias.c_str(), kHost, node.port);
    std::printf("Connect to any node, for example: pelorus connect %s:%d\n", kHost, plan.nodes[0].port);
    if (plan.dev) {
        std::printf("or by SQL: %s\n", psqlCommand(kHost, plan.nodes[0].port).c_str());
        std::printf("User admin, password %s; only this machine reaches it.\n", plan.password.c_str());
    } else {
        std::printf("The user admin began with the password %s; give it as PELORUS_PASSWORD.\n", plan.password.c_str());
    }
    return 0;
}

ClusterPlan existingPlan(const Options& options) {
    ClusterPlan plan;
    if (!readPlan(options.folder, plan)) {
        throw UserError("There is no cluster in " + options.folder + ".", "pelorus cluster up --dir DIR makes one.");
    }
    return plan;
}

int status(const Options& options) {
    const ClusterPlan plan = existingPlan(options);
    const std::vector<ManagedProcess> processes = processesOf(options.folder, plan);
    ClusterConfig config;
    try {
        config = ClusterConfig::read(*openEtcdMetaStore({std::string(kHost) + ':' + std::to_string(plan.etcdPort)},
                                                        "pelorus/" + NodeSettings().clusterName + "/"));
    } catch (const Error&) {
        // The list below says that etcd is down.
    }
    bool well = true;
    for (size_t i = 0; i < processes.size(); ++i) {
        const pid_t pid = processes[i].pid();
        const int port = i == 0 ? plan.etcdPort : plan.nodes[i - 1].port;
        std::string state = pid ? "runs, pid " + std::to_string(pid) : "is down";
        if (pid && i > 0) {
            try {
                awaitNode(plan.nodes[i - 1]);
                state += ", answers";
                const NodeConfig* node = config.find(plan.nodes[i - 1].alias);
                if (node != nullptr) state += ", " + std::string(nameOf(node->state));
            } catch (const Error&) {
                state += ", does not answer";
                well = false;
            }
        }
        well = well && pid;
        std::printf("%-8s %s:%d  %s\n", processes[i].name().c_str(), kHost, port, state.c_str());
    }
    return well ? 0 : 1;
}

int down(const Options& options) {
    const ClusterPlan plan = existingPlan(options);
    std::vector<ManagedProcess> processes = processesOf(options.folder, plan);
    // The nodes at the same time, etcd last: they leave the cluster through it.
    std::vector<std::thread> stopping;
    for (size_t i = 1; i < processes.size(); ++i) {
        stopping.emplace_back([&process = processes[i]] { process.stop(kStopMillis); });
    }
    for (std::thread& thread : stopping) thread.join();
    processes[0].stop(kStopMillis);
    std::printf("The cluster in %s is down; its data stays.\n", options.folder.c_str());
    return 0;
}

// Decides for a node that is down, and that people were told to decide about: `adopt` when its folder and the metadata
// store do not belong together, `force` when it is not known to be complete.
int decide(const std::string& verb, const CommandArguments& arguments) {
    if (arguments.size() != 3 || arguments[1] != "--config")
        throw UserError("pelorus cluster " + verb + " needs the settings of the node.",
                        "For example: pelorus cluster " + verb + " --config node1.cfg");
    const NodeSettings settings = readNodeSettings(arguments[2]);
    if (settings.etcdEndpoints.empty())
        throw UserError(arguments[2] + " names no etcdEndpoints.", "Give the settings of a node of a cluster.");
    if (settings.alias.empty())
        throw UserError(arguments[2] + " names no alias.",
                        "Partitions are placed by the alias of their node: add one.");
    const std::unique_ptr<MetaStore> store = openStoreOf(settings);
    const auto storage = LocalStorage::open(settings.dataFolder, FileSystem::posix(), settings.storage);
    const std::string report = verb == "adopt" ? adoptFolder(*storage, *store, settings.alias, storeNameOf(settings))
                                               : forceFolder(*storage, *store, settings.alias);
    std::printf("%s\n", report.c_str());
    return 0;
}

}  // namespace

int clusterCommand(const CommandArguments& arguments) {
    const std::string verb = arguments.empty() ? "" : arguments[0];
    if (verb == "up") return up(parseOptions(arguments));
    if (verb == "status") return status(parseOptions(arguments));
    if (verb == "down") return down(parseOptions(arguments));
    if (verb == "adopt" || verb == "force") return decide(verb, arguments);
    throw UserError("pelorus cluster needs one of up, status, down, adopt, force.",
                    "For example: pelorus cluster up --nodes 3 --dir DIR");
}

}  // namespace pelorus
