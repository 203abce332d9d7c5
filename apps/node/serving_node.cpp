#include "apps/node/serving_node.h"

#include <sys/stat.h>

#include <cstdio>
#include <utility>

#include "apps/node/end_signals.h"
#include "common/check.h"
#include "common/log.h"
#include "net/connection.h"
#include "runtime/memory/allocator.h"
#include "server/session/engine_host.h"
#include "streaming/builtins/streaming_builtins.h"

namespace pelorus {

// The time in which a node serves.
class ServingNode::Running {
public:
    Running(NodeListeners& listeners, NodeJobs& jobs, const Services& services)
        : listeners_(listeners), jobs_(jobs), services_(services) {
        listeners_.start();
    }
    // Order matters: nothing submits work to a part that has ended. Lines and schedules end first; then the requests of
    // clients, which may wait for jobs; then streams, whose handlers use the databases; the jobs last.
    ~Running() {
        listeners_.stopLines();
        jobs_.stopSchedules();
        listeners_.stopClients();
        stopStreaming(services_);
        jobs_.stopQueue();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    NodeListeners& listeners_;
    NodeJobs& jobs_;
    const Services& services_;
};

ServingNode::Preparation::Preparation(const EndSignals& signals) {
    CHECK(signals.areBlocked()) << "a thread that does not block the signals would end the process without order";
    registerAllFunctions();
    memory::boundResidentMemory();
    ::umask(077);
}

ServingNode::ServingNode(const EndSignals& signals, NodeSettings settings)
    : settings_(std::move(settings)),
      preparation_(signals),
      log_(settings_),
      own_(settings_),
      process_(settings_, own_),
      folder_(settings_, *own_.identity, process_.services()),
      users_(settings_, folder_.names(), *own_.policy, process_.services()),
      host_(std::make_unique<EngineHost>(process_.services())),
      listeners_({settings_, own_, users_.access(), *host_, process_.services()}, folder_.takePort()),
      audit_(settings_, folder_, *own_.identity),
      administrator_(settings_, users_, audit_),
      jobs_({settings_, *own_.identity, folder_.names(), users_, *host_, process_.services()}, administrator_),
      running_(std::make_unique<Running>(listeners_, jobs_, process_.services())) {}

ServingNode::~ServingNode() = default;

void ServingNode::stop(int signal) {
    CHECK(running_ != nullptr) << "a node stops once";
    std::printf("Stopping.\n");
    logInfo("server", "stopping", {{"signal", signal}});
    running_.reset();
    logInfo("server", "stopped");
}

}  // namespace pelorus
