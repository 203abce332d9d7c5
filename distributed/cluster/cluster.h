// The nodes of a cluster as seen by one of them: its members, which of them are alive, and calls to them.
//
// A node writes its address under member/<alias> permanently and alive/<alias> under a lease that it keeps renewing;
// the keys of a node that dies expire by themselves. Thread-safe. A service of the process.
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

struct ClusterMember {
    std::string alias;
    std::string host;
    int port = 0;
};

// Error of a node that does not answer: whether it did what it was asked is unknown.
class NodeLost : public SystemError {
public:
    using SystemError::SystemError;
};
// Error of a node that could not be reached: it received no request.
class NodeNotReached : public NodeLost {
public:
    using NodeLost::NodeLost;
};
// Error of a node whose machine says that nobody listens there.
class NodeGone final : public NodeNotReached {
public:
    using NodeNotReached::NodeNotReached;
};

// How long a caller waits for a node that lives.
struct Timeout {
    std::chrono::milliseconds limit = std::chrono::hours(24 * 365);
    bool endsInSilence = false;  // another node can take over from one that has fallen silent
    const std::atomic<bool>* abandon = nullptr;
};

class Cluster {
public:
    // Joins at once, and leaves when destroyed. `key` is the nodes' password for each other. Throws SystemError when
    // the metadata store does not answer, or another living node has this alias.
    Cluster(MetaStore& store, ClusterMember self, std::string key);
    ~Cluster();

    const ClusterMember& self() const { return self_; }
    MetaStore& store() { return store_; }
    // Returns all that ever joined, in order of alias.
    std::vector<ClusterMember> members() const;
    bool isAlive(const std::string& alias) const;
    // Whether the node has not answered several times, or has said that it can't take part, so that who has another
    // choice waits for it no longer.
    bool isSilent(const std::string& alias) const;
    // Whether no process of the node runs: its lease has ended, or its machine refuses connections.
    bool isGone(const std::string& alias) const;
    // Whether the node has answered a question within this time, and each since.
    bool hasAnswered(const std::string& alias, std::chrono::milliseconds within) const;
    // Returns a name of this process that no other has or had: "<alias>/<number>".
    const std::string& incarnation() const { return incarnation_; }
    // Whether the process of that name still belongs to the cluster.
    bool lives(const std::string& incarnation) const;

    // Calls a function of another node, by its name there, for the request's user. Prints of the other node go where
    // the request prints. Throws UserError with the node's message, NodeNotReached, or NodeLost when the connection
    // breaks, the node dies, or the patience ends; all name it. A cancelled request ends the wait.
    Value call(const std::string& alias, const Request& request, std::string_view function,
               std::span<const Value> arguments, const Timeout& timeout = {});
    // Asks a node how it is, also one that has not answered for a while, and notes whether it answers within `limit`.
    // One that answers with an error can't take part, and is silent at once.
    Value askStatus(std::chrono::milliseconds limit, const std::string& alias);
    // Calls it for whom the code runs: the definer, within a function view.
    Value call(const std::string& alias, const Context& context, std::string_view function,
               std::span<const Value> arguments, const Timeout& timeout = {});

private:
    Value callAs(const std::string& user, const std::string& alias, const Request& request, std::string_view function,
                 std::span<const Value> arguments, const Timeout& timeout);
    // What is known of how a node answers.
    struct Hearing {
        int unanswered = 0;  // questions in a row
        bool isRefused = false;
        std::chrono::steady_clock::time_point answered;
    };
    void noteAnswer(const std::string& alias);
    void noteSilence(const std::string& alias, int questions, bool isRefused);
    void join();
    void renewLoop();
    void apply(const std::vector<MetaChange>& changes);
    ClusterMember member(const std::string& alias) const;
    void greet(Client& client, const std::string& alias, const std::string& address) const;
    std::unique_ptr<Client> takeClient(const ClusterMember& member, const std::string& user,
                                       std::chrono::milliseconds limit, std::function<void()> idleCheck);

    MetaStore& store_;
    const ClusterMember self_;
    const std::string key_;
    uint64_t lease_ = 0;
    std::string incarnation_;

    mutable Mutex mutex_;
    std::map<std::string, ClusterMember> members_ GUARDED_BY(mutex_);
    std::map<std::string, std::string> alive_ GUARDED_BY(mutex_);                          // alias to incarnation
    std::map<std::string, Hearing> hearings_ GUARDED_BY(mutex_);                           // by alias
    std::map<std::string, std::vector<std::unique_ptr<Client>>> idle_ GUARDED_BY(mutex_);  // by alias and user

    Mutex stopMutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(stopMutex_) = false;
    std::thread renewer_;
    std::unique_ptr<MetaStore::Watch> membersWatch_;
    std::unique_ptr<MetaStore::Watch> aliveWatch_;
};

}  // namespace pelorus
