#include "distributed/cluster/cluster.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "common/error.h"
#include "common/log.h"
#include "common/outside_json.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_start.h"
#include "distributed/cluster/system_request.h"
#include "net/client.h"
#include "runtime/function/principal.h"

namespace pelorus {
namespace {

constexpr int64_t kLeaseMillis = 3000;
constexpr int64_t kRenewMillis = 700;
constexpr size_t kIdleClientsPerNode = 8;
// A node whose lease ended may only be slow to renew it: callers wait this long before they give up on it.
constexpr auto kGrace = std::chrono::milliseconds(1000);

constexpr std::chrono::milliseconds kConnectWithin(1000);

// The number of unanswered questions in a row that make a node silent: this process may itself have slept during the
// first.
constexpr int kSilentAfter = 2;

const std::string kMembers = "member/";
const std::string kAlive = "alive/";

std::string addressOf(const ClusterMember& member) {
    return nlohmann::json{{"host", member.host}, {"port", member.port}}.dump();
}

}  // namespace

Cluster::Cluster(MetaStore& store, ClusterMember self, std::string key)
    : store_(store), self_(std::move(self)), key_(std::move(key)) {
    join();
    // The prefix is read first and watched from that revision on, so that no change is missed.
    for (const std::string& prefix : {kMembers, kAlive}) {
        const MetaRead read = store_.range(prefix);
        std::vector<MetaChange> changes;
        for (const MetaEntry& entry : read.entries) changes.push_back({entry.key, entry.value, entry.revision});
        apply(changes);
        auto& watch = prefix == kMembers ? membersWatch_ : aliveWatch_;
        watch = store_.watch(prefix, read.revision, [this](const std::vector<MetaChange>& c) { apply(c); });
    }
    renewer_ = startThread([this] { renewLoop(); });
}

Cluster::~Cluster() {
    {
        const MutexLock lock(stopMutex_);
        stopping_ = true;
    }
    stopChanged_.notifyAll();
    renewer_.join();
    aliveWatch_.reset();
    membersWatch_.reset();
    store_.revokeLease(lease_);
}

void Cluster::join() {
    lease_ = store_.grantLease(kLeaseMillis);
    if (incarnation_.empty()) incarnation_ = self_.alias + '/' + std::to_string(lease_);
    const std::string address = addressOf(self_);
    // A node that died a moment ago still holds its key for the rest of its lease: wait for that long.
    for (int attempt = 0;; ++attempt) {
        const auto holder = store_.get(kAlive + self_.alias);
        const bool mine = holder && holder->value == incarnation_;
        if (!holder || mine) {
            const uint64_t revision = holder ? holder->revision : 0;
            const MetaOutcome outcome =
                store_.transact({{kAlive + self_.alias, revision}},
                                {{kAlive + self_.alias, incarnation_, lease_}, {kMembers + self_.alias, address, 0}});
            if (outcome.done) {
                logInfo("cluster", "joined", {{"alias", self_.alias}, {"lease", lease_}});
                return;
            }
        }
        if (attempt == 60) {
            throw SystemError("Another node with the alias " + self_.alias + " lives.",
                              "Give each node of a cluster an alias of its own.");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        store_.keepAlive(lease_);
    }
}

void Cluster::renewLoop() {
    MutexLock lock(stopMutex_);
    for (;;) {
        const auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(kRenewMillis);
        while (!stopping_ && stopChanged_.waitUntil(lock, next)) {
        }
        if (stopping_) return;
        lock.unlock();
        try {
            if (!store_.keepAlive(lease_)) {
                logWarning("cluster", "the lease has ended; joining again", {{"alias", self_.alias}});
                join();
            }
        } catch (const Error& error) {
            // The store is unreachable: the next round tries again, and joins again if the lease has ended meanwhile.
            logWarning("cluster", "the metadata store does not answer", {{"error", error.what()}});
        }
        lock.lock();
    }
}

void Cluster::apply(const std::vector<MetaChange>& changes) {
    const MutexLock lock(mutex_);
    for (const MetaChange& change : changes) {
        const bool isMember = change.key.starts_with(kMembers);
        const std::string alias = change.key.substr((isMember ? kMembers : kAlive).size());
        if (!isMember) {
            logInfo("cluster", change.value ? "node lives" : "node is gone", {{"alias", alias}});
            alive_[alias] = change.value.value_or("");
            hearings_.erase(alias);  // it was about the process before
        } else if (change.value) {
            const auto address = parseJson(*change.value);
            if (address.is_object()) {
                members_[alias] = {alias, address.value("host", ""), address.value("port", 0)};
                // Clients connected to the node's previous address are useless.
                for (auto& [key, clients] : idle_) {
                    if (key.starts_with(alias + '\n')) clients.clear();
                }
            }
        } else {
            members_.erase(alias);
        }
    }
}

std::vector<ClusterMember> Cluster::members() const {
    const MutexLock lock(mutex_);
    std::vector<ClusterMember> list;
    for (const auto& [alias, member] : members_) list.push_back(member);
    return list;
}

bool Cluster::isAlive(const std::string& alias) const {
    const MutexLock lock(mutex_);
    const auto it = alive_.find(alias);
    return it != alive_.end() && !it->second.empty();
}

bool Cluster::lives(const std::string& incarnation) const {
    const MutexLock lock(mutex_);
    const auto it = alive_.find(incarnation.substr(0, incarnation.rfind('/')));
    return it != alive_.end() && it->second == incarnation;
}

ClusterMember Cluster::member(const std::string& alias) const {
    const MutexLock lock(mutex_);
    const auto it = members_.find(alias);
    if (it != members_.end()) return it->second;
    std::string known;
    for (const auto& [name, other] : members_) known += (known.empty() ? "" : ", ") + name;
    throw UserError("The cluster has no node " + alias + ".", "Its nodes are " + known + ".");
}

Value Cluster::askStatus(std::chrono::milliseconds limit, const std::string& alias) {
    try {
        Value answer = call(alias, systemRequest(), "nodeStatus", {}, {.limit = limit});
        noteAnswer(alias);
        return answer;
    } catch (const NodeGone&) {
        noteSilence(alias, kSilentAfter, true);
        throw;
    } catch (const NodeLost&) {
        noteSilence(alias, 1, false);
        throw;
    } catch (const Error&) {
        noteSilence(alias, kSilentAfter, false);
        throw;
    }
}

void Cluster::noteAnswer(const std::string& alias) {
    const MutexLock lock(mutex_);
    hearings_[alias] = {0, false, std::chrono::steady_clock::now()};
}

void Cluster::noteSilence(const std::string& alias, int questions, bool isRefused) {
    const MutexLock lock(mutex_);
    Hearing& hearing = hearings_[alias];
    hearing.unanswered += questions;
    hearing.isRefused = isRefused;
}

bool Cluster::isSilent(const std::string& alias) const {
    const MutexLock lock(mutex_);
    const auto hearing = hearings_.find(alias);
    return hearing != hearings_.end() && hearing->second.unanswered >= kSilentAfter;
}

bool Cluster::isGone(const std::string& alias) const {
    const MutexLock lock(mutex_);
    const auto alive = alive_.find(alias);
    const auto hearing = hearings_.find(alias);
    const bool isRefused = hearing != hearings_.end() && hearing->second.isRefused;
    return isRefused || alive == alive_.end() || alive->second.empty();
}

bool Cluster::hasAnswered(const std::string& alias, std::chrono::milliseconds within) const {
    const MutexLock lock(mutex_);
    const auto hearing = hearings_.find(alias);
    return hearing != hearings_.end() && hearing->second.unanswered == 0 &&
           std::chrono::steady_clock::now() - hearing->second.answered < within;
}

// Throws SystemError unless the node that was called is the one that answers. Another one answers where a node has
// given an address that every machine has, such as that of the loopback: then it is this node itself.
void Cluster::greet(Client& client, const std::string& alias, const std::string& address) const {
    const std::string answering(client.call("nodeName", {}).string());
    if (answering == alias) return;
    throw SystemError("At " + address + ", the address of the node " + alias + ", the node " + answering + " answers.",
                      "Set advertise of " + alias + " to an address at which the other nodes reach it.", true);
}

ClientOptions Cluster::optionsOf(const ClusterMember& member, const std::string& user) const {
    ClientOptions options;
    options.host = member.host;
    options.port = member.port;
    options.peerName = member.alias;
    options.user = std::string(kNodeUserPrefix) + user;
    options.password = key_;
    options.peer = Peer::Node;
    return options;
}

ClientOptions Cluster::clientOptions(const std::string& alias, const std::string& user) const {
    return optionsOf(member(alias), user);
}

std::unique_ptr<Client> Cluster::takeClient(const ClusterMember& member, const std::string& user,
                                            std::chrono::milliseconds limit, std::function<void()> idleCheck) {
    {
        const MutexLock lock(mutex_);
        auto& idle = idle_[member.alias + '\n' + user];
        while (!idle.empty()) {
            auto client = std::move(idle.back());
            idle.pop_back();
            if (!client->usable()) continue;
            client->setIdleCheck(std::move(idleCheck));
            return client;
        }
    }
    ClientOptions options = optionsOf(member, user);
    options.connectTimeoutMillis = static_cast<int>(std::min(limit, kConnectWithin).count());
    options.idleCheck = std::move(idleCheck);
    const std::string address = member.host + ':' + std::to_string(member.port);
    try {
        auto client = std::make_unique<Client>(std::move(options));
        greet(*client, member.alias, address);
        return client;
    } catch (const UserError& error) {
        throw NodeNotReached("The node " + member.alias + " at " + address + " refuses this one: " + error.what(),
                             "All nodes of a cluster need the same clusterKey and version.", true);
    } catch (const ConnectionRefused& error) {
        throw NodeGone(error.what(), error.hint(), error.retryable());
    } catch (const SystemError& error) {
        throw NodeNotReached(error.what(), error.hint(), error.retryable());
    }
}

Value Cluster::call(const std::string& alias, const Context& context, std::string_view function,
                    std::span<const Value> arguments, const Timeout& timeout) {
    return callAs(context.principal().user(), alias, *context.request, function, arguments, timeout);
}

Value Cluster::call(const std::string& alias, const Request& request, std::string_view function,
                    std::span<const Value> arguments, const Timeout& timeout) {
    return callAs(request.principal().user(), alias, request, function, arguments, timeout);
}

Value Cluster::callAs(const std::string& user, const std::string& alias, const Request& request,
                      std::string_view function, std::span<const Value> arguments, const Timeout& timeout) {
    const ClusterMember peer = member(alias);
    const auto begin = std::chrono::steady_clock::now();
    auto lastAlive = begin;
    const auto idleCheck = [&, lastAlive]() mutable {
        if (request.cancelled) throw UserError("The request was cancelled.");
        if (timeout.abandon && *timeout.abandon) throw SystemError("The call of " + alias + " was given up.");
        const auto now = std::chrono::steady_clock::now();
        if (now - begin > timeout.limit) throw SystemError("it does not answer in time", "", true);
        if (timeout.endsInSilence && isSilent(alias)) throw SystemError("it has fallen silent", "", true);
        if (isAlive(alias)) {
            lastAlive = now;
        } else if (now - lastAlive > kGrace) {
            throw SystemError("it no longer renews its lease, so it is down or cut off", "", true);
        }
    };
    // Nothing is sent to a node that has fallen silent, where another one can take over.
    if (timeout.endsInSilence && isSilent(alias))
        throw NodeNotReached("The node " + alias + " has fallen silent.", "", true);
    auto client = takeClient(peer, user, timeout.limit, idleCheck);
    client->onPrint(request.print);
    try {
        Value result = client->call(function, arguments);
        client->onPrint(nullptr);
        client->setIdleCheck(nullptr);
        const MutexLock lock(mutex_);
        auto& idle = idle_[alias + '\n' + user];
        if (idle.size() < kIdleClientsPerNode) idle.push_back(std::move(client));
        return result;
    } catch (const SystemError& error) {
        throw NodeLost(error.what(), error.hint(), error.retryable());
    } catch (const UserError& error) {
        throw UserError(client->peerName() + ": " + error.what(), error.hint());
    }
}

}  // namespace pelorus
