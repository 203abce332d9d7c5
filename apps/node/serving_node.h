// ServingNode is a node from its start to its end.
//
// The members are in the order of the start: each one is built from those before it, and ends before them. What a step
// needs of an earlier one is a parameter of its constructor, so that the steps cannot change places unseen.
#pragma once

#include <memory>

#include "apps/node/node_jobs.h"
#include "apps/node/node_listeners.h"
#include "apps/node/node_logs.h"
#include "apps/node/node_process.h"
#include "apps/node/node_services.h"
#include "apps/node/node_users.h"
#include "apps/node/served_folder.h"
#include "apps/process/node_settings.h"

namespace pelorus {

class EndSignals;
class EngineHost;

// A node that serves clients and, in a cluster, other nodes. A process has one; `serveCommand` owns it.
class ServingNode {
public:
    // Starts the node: when the constructor returns, it serves and has said so. Takes the signals that end it, which
    // its threads block. Throws UserError when settings contradict each other, SystemError when the data folder or a
    // port is in use; then nothing of the node is left but its log and folders.
    ServingNode(const EndSignals& signals, NodeSettings settings);
    ~ServingNode();
    ServingNode(const ServingNode&) = delete;
    ServingNode& operator=(const ServingNode&) = delete;

    // Ends all requests and jobs in order, and says so; `signal` is for the log. The folder is this process's until the
    // destructor. REQUIRES: called once at most; the destructor does the same without the log's lines.
    void stop(int signal);

private:
    // Prepares the whole process: from here on functions are registered, memory is bounded, and new files are for
    // the owner of the process alone.
    struct Preparation {
        explicit Preparation(const EndSignals& signals);
    };
    class Running;

    const NodeSettings settings_;
    const Preparation preparation_;
    const NodeLog log_;
    const NodeServices own_;
    NodeProcess process_;
    ServedFolder folder_;
    NodeUsers users_;
    const std::unique_ptr<EngineHost> host_;  // runs the scripts of clients and jobs
    NodeListeners listeners_;
    const NodeAudit audit_;
    const NodeAdministrator administrator_;
    NodeJobs jobs_;
    std::unique_ptr<Running> running_;  // while the node serves
};

}  // namespace pelorus
