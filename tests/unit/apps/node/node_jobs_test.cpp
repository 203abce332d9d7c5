#include "apps/node/node_jobs.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "apps/node/node_logs.h"
#include "apps/node/node_process.h"
#include "apps/node/node_services.h"
#include "apps/node/node_users.h"
#include "apps/node/served_folder.h"
#include "apps/process/node_settings.h"
#include "database/service/node_identity.h"
#include "runtime/function/context.h"
#include "server/access/access_control.h"
#include "server/jobs/job_queue.h"
#include "server/jobs/schedules.h"
#include "server/session/engine_host.h"
#include "sql/query_monitor.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

NodeSettings developmentSettings(const TemporaryFolder& folder) {
    NodeSettings settings;
    settings.dataFolder = folder.path();
    settings.port = 0;
    settings.dev = true;
    return settings;
}

// The parts of a node that are made before its jobs.
struct NodeWithoutJobs {
    explicit NodeWithoutJobs(const TemporaryFolder& dataFolder)
        : settings(developmentSettings(dataFolder)),
          own(settings),
          process(settings, own),
          folder(settings, *own.identity, process.services()),
          users(settings, folder.names(), *own.policy, process.services()),
          host(process.services()),
          audit(settings, folder, *own.identity),
          administrator(settings, users, audit) {}

    NodeJobs::Node forJobs() { return {settings, *own.identity, folder.names(), users, host, process.services()}; }

    const NodeSettings settings;
    const NodeServices own;
    NodeProcess process;
    ServedFolder folder;
    NodeUsers users;
    EngineHost host;
    const NodeAudit audit;
    const NodeAdministrator administrator;
};

}  // namespace

TEST_CASE("the jobs of a node are services of it, and have their log in the data folder") {
    const TemporaryFolder folder;
    NodeWithoutJobs node(folder);
    Services& services = node.process.services();
    CHECK(services.find<JobQueue>() == nullptr);
    NodeJobs jobs(node.forJobs(), node.administrator);
    CHECK(services.find<JobQueue>() != nullptr);
    CHECK(services.find<Schedules>() != nullptr);
    CHECK(services.find<QueryMonitor>() != nullptr);
    CHECK(std::filesystem::exists(folder / "batchJob.log"));
}

TEST_CASE("jobs and schedules are stopped in their order, and once more at the end") {
    const TemporaryFolder folder;
    NodeWithoutJobs node(folder);
    {
        NodeJobs jobs(node.forJobs(), node.administrator);
        jobs.stopSchedules();
        jobs.stopQueue();
    }
    CHECK(node.process.services().find<Schedules>()->all().empty());
}
