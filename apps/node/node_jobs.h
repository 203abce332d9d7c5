// NodeJobs owns the batch jobs of a node, and the schedules that submit them.
#pragma once

#include <memory>

namespace pelorus {

class JobLog;
class JobQueue;
class MetaStore;
class NodeAdministrator;
class NodeUsers;
class Schedules;
class ScriptHost;
class Services;
struct NodeIdentity;
struct NodeSettings;

// Job queue and schedules of a node, the last of its services: schedules fire once these are there, and their functions
// call whatever the node has.
class NodeJobs {
public:
    // The parts of a node that jobs need; all of them outlive the jobs.
    struct Node {
        const NodeSettings& settings;
        const NodeIdentity& identity;
        MetaStore& names;  // keeps the schedules
        NodeUsers& users;  // jobs have the rights of their owners, within whose caps they run
        ScriptHost& host;
        Services& services;
    };
    // Takes the administrator: a job's owner is a user.
    NodeJobs(const Node& node, const NodeAdministrator& administrator);
    // Stops both.
    ~NodeJobs();
    NodeJobs(const NodeJobs&) = delete;
    NodeJobs& operator=(const NodeJobs&) = delete;

    // Ends the schedules: no job is submitted by them from then on.
    void stopSchedules();
    // Cancels running jobs and waits for them; those that wait never run.
    void stopQueue();

private:
    const std::shared_ptr<JobLog> log_;
    const std::shared_ptr<JobQueue> queue_;
    const std::shared_ptr<Schedules> schedules_;
};

}  // namespace pelorus
