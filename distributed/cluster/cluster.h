// The membership of a process in its cluster: the members, which of them are alive, and calls to them.
//
// A node writes its address under member/<alias> permanently and the name of its process under alive/<alias>, with a
// lease that it keeps renewing: when the node dies, the lease ends and that key with it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {

class Client;
struct ClientOptions;

// A node of the cluster: its name, which no other member has, and the address at which the others call it.
struct ClusterMember {
    std::string alias;
    std::string host;
    int port = 0;
};

// An error of a node that does not answer: whether it has carried out the call is unknown.
class NodeLost : public SystemError {
public:
    using SystemError::SystemError;
};
// An error of a node that could not be reached: it received no request.
class NodeNotReached : public NodeLost {
public:
    using NodeLost::NodeLost;
};
// An error of a node whose machine refuses the connection: no process listens there.
class NodeGone final : public NodeNotReached {
public:
    using NodeNotReached::NodeNotReached;
};

// A limit of the time for which a caller waits for a node that is alive. One whose lease has ended is given up a second
// later in any case.
struct Timeout {
    std::chrono::milliseconds limit = std::chrono::hours(24 * 365);  // since the call began
    bool endsInSilence = false;  // the call ends when the node falls silent, since another one can take over
    const std::atomic<bool>* abandon = nullptr;  // the call ends when this becomes true; may be null
};

// A member of the cluster, this process, with its view of the other members. A process makes one when it starts and
// registers it as a service; built-ins and the other classes of this folder call it. A thread of it renews the lease,
// and joins again when that has ended. The store outlives it. Thread-safe.
class Cluster {
public:
    // Joins the cluster as `self`; the destructor leaves it. `key` is the password of the nodes for each other. Throws
    // SystemError when the metadata store does not answer, or when another living node has this alias: that is known
    // after some seconds, for the lease of a process that has died may still hold it.
    Cluster(MetaStore& store, ClusterMember self, std::string key);
    ~Cluster();

    const ClusterMember& self() const { return self_; }
    MetaStore& store() { return store_; }
    // Returns all nodes that ever joined, in order of alias.
    std::vector<ClusterMember> members() const;
    // Returns whether the node has a lease, as far as this process has heard.
    bool isAlive(const std::string& alias) const;
    // Returns whether the node has left two questions of askStatus in a row unanswered, answered one with an error or
    // refused the connection: callers that have another choice no longer wait for it.
    bool isSilent(const std::string& alias) const;
    // Returns whether no process of the node runs: its lease has ended, or its machine refused the connection when it
    // was last asked.
    bool isGone(const std::string& alias) const;
    // Returns whether the node has answered a question of askStatus within this time, and no later one failed.
    bool hasAnswered(const std::string& alias, std::chrono::milliseconds within) const;
    // Returns the name of this process, which no other has or had: "<alias>/<number>".
    const std::string& incarnation() const { return incarnation_; }
    // Returns whether the process of that name still belongs to the cluster.
    bool lives(const std::string& incarnation) const;

    // Calls a function of another node, by its name there, for the user of the request, and returns its result. What
    // the other node prints goes where the request prints. Throws UserError with the node's message, or when the
    // cluster has no such node; NodeNotReached when the node has received nothing; NodeLost when the connection breaks,
    // the node dies, or the timeout ends the wait. A cancelled request ends the wait, too, with UserError.
    Value call(const std::string& alias, const Request& request, std::string_view function,
               std::span<const Value> arguments, const Timeout& timeout = {});
    // Asks a node for its status, even one that is silent, and notes whether it answers within `limit`. Returns what
    // the built-in nodeStatus returns there. A node that answers with an error can't take part, and is silent at once.
    // Throws as call does.
    Value askStatus(std::chrono::milliseconds limit, const std::string& alias);
    // Calls a function of another node for the user for whom the code runs: within a function view, its definer.
    Value call(const std::string& alias, const Context& context, std::string_view function,
               std::span<const Value> arguments, const Timeout& timeout = {});

    // Returns how this node reaches another one for a user. Throws UserError when the cluster has no such node.
    ClientOptions clientOptions(const std::string& alias, const std::string& user) const;

private:
    Value callAs(const std::string& user, const std::string& alias, const Request& request, std::string_view function,
                 std::span<const Value> arguments, const Timeout& timeout);
    // A record of how a node has answered askStatus.
    struct Hearing {
        int unanswered = 0;                              // questions in a row
        bool isRefused = false;                          // its machine refused the last connection
        std::chrono::steady_clock::time_point answered;  // time of the last answer
    };
    void noteAnswer(const std::string& alias);
    void noteSilence(const std::string& alias, int questions, bool isRefused);
    void join();
    void renewLoop();
    void apply(const std::vector<MetaChange>& changes);
    ClusterMember member(const std::string& alias) const;
    void greet(Client& client, const std::string& alias, const std::string& address) const;
    ClientOptions optionsOf(const ClusterMember& member, const std::string& user) const;
    std::unique_ptr<Client> takeClient(const ClusterMember& member, const std::string& user,
                                       std::chrono::milliseconds limit, std::function<void()> idleCheck);

    MetaStore& store_;
    const ClusterMember self_;
    const std::string key_;
    uint64_t lease_ = 0;
    std::string incarnation_;

    mutable Mutex mutex_;
    std::map<std::string, ClusterMember> members_ GUARDED_BY(mutex_);
    std::map<std::string, std::string> alive_ GUARDED_BY(mutex_);  // incarnation by alias, or empty
    std::map<std::string, Hearing> hearings_ GUARDED_BY(mutex_);   // by alias
    std::map<std::string, std::vector<std::unique_ptr<Client>>> idle_ GUARDED_BY(mutex_);  // by alias and user

    Mutex stopMutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(stopMutex_) = false;
    std::thread renewer_;
    std::unique_ptr<MetaStore::Watch> membersWatch_;
    std::unique_ptr<MetaStore::Watch> aliveWatch_;
};

}  // namespace pelorus
