#include "apps/node/node_jobs.h"

#include "apps/node/node_users.h"
#include "apps/process/node_settings.h"
#include "common/io/file.h"
#include "database/service/node_identity.h"
#include "server/access/access_control.h"
#include "server/jobs/job_log.h"
#include "server/jobs/job_queue.h"
#include "server/jobs/schedules.h"
#include "sql/query_monitor.h"

namespace pelorus {
namespace {

std::function<JobCaps(const std::string&)> capsOf(const AccessControl& access) {
    return [&access](const std::string& user) {
        const auto state = access.state();
        const UserEntry* entry = state->user(user);
        return entry ? JobCaps{entry->maxJobPriority, entry->maxJobParallelism} : JobCaps{};
    };
}

std::shared_ptr<JobQueue> startQueue(const NodeJobs::Node& node, std::shared_ptr<JobLog> log) {
    JobQueueOptions options{.workers = node.settings.batchWorkers, .log = std::move(log)};
    options.capsOf = capsOf(node.users.access());
    auto queue = std::make_shared<JobQueue>(node.host, std::move(options));
    node.services.add(std::make_shared<QueryMonitor>());
    node.services.add(queue);
    return queue;
}

std::shared_ptr<Schedules> makeSchedules(const NodeJobs::Node& node, JobQueue& queue, std::shared_ptr<JobLog> log) {
    auto schedules = std::make_shared<Schedules>(
        node.names, queue, Schedules::Options{.node = node.identity.alias, .log = std::move(log)});
    node.services.add(schedules);
    return schedules;
}

}  // namespace

NodeJobs::NodeJobs(const Node& node, const NodeAdministrator&)
    : log_(std::make_shared<JobLog>(FileSystem::posix(), node.settings.dataFolder + "/batchJob.log")),
      queue_(startQueue(node, log_)),
      schedules_(makeSchedules(node, *queue_, log_)) {
    schedules_->start();
}

NodeJobs::~NodeJobs() {
    stopSchedules();
    stopQueue();
}

void NodeJobs::stopSchedules() {
    schedules_->stop();
}

void NodeJobs::stopQueue() {
    queue_->stop();
}

}  // namespace pelorus
