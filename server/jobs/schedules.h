// Schedules submits stored functions as batch jobs at times of day. The schedules are kept in the metadata store.
//
// They survive restarts. In a cluster all nodes watch the same store, and each time fires on one of them: a node claims
// it in the store on the condition that no other node has (compare-and-swap), and only then submits the job. A time
// that passed while no node ran, or whose node ended between claim and job, is logged as missed and not made up for:
// nothing ever fires twice. A job has the rights that its owner has at that moment; the jobs of a deleted user do not
// run.
//
// Thread-safe, once started. One thread sleeps until the next time, and fires.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "interpreter/session/stored_function.h"
#include "runtime/value/value.h"
#include "server/jobs/schedule_rule.h"

namespace pelorus {

class JobLog;
class JobQueue;

// A schedule without its functions, as getScheduledJobs shows it.
struct Schedule {
    std::string id;
    std::string description;
    std::string owner;
    ScheduleRule rule;
    int priority = 4;
    int parallelism = 2;
    int64_t createdMillis = 0;  // local milliseconds since 1970
};

// The scheduler of one node, a service of the process. It is started last: functions of schedules may call all that the
// node has.
class Schedules {
public:
    struct Options {
        std::string node;                      // alias of this node, unique in the cluster
        std::function<int64_t()> localMillis;  // local milliseconds since 1970; empty: the machine's clock
        std::shared_ptr<JobLog> log;           // null: no log is written
        int64_t graceMillis = 60'000;          // a time that passed longer ago is missed
    };
    // `store` and `queue` outlive the object, or its `stop`.
    Schedules(MetaStore& store, JobQueue& queue, Options options);
    ~Schedules();
    Schedules(const Schedules&) = delete;
    Schedules& operator=(const Schedules&) = delete;

    // Starts the thread, which fires from now on: all services of the process must be there. Throws nothing when the
    // store does not answer: the thread tries again each second.
    void start();

    // Stores the schedule and returns its id: `schedule.id`; when that is taken, with the date and a number appended.
    // `onComplete` may be null. Throws UserError when the rule is invalid or has no time left, a function cannot be
    // stored or has more than 1 MB, or 10,000 schedules are kept; SystemError when the store does not answer.
    std::string add(Schedule schedule, const Ref<Function>& function, const Ref<Function>& onComplete);
    // Removes a schedule; jobs that it started go on. Throws UserError when there is none, SystemError when the store
    // does not answer.
    void remove(const std::string& id);
    // Returns all schedules in the store, ordered by id; those that cannot be read are left out and logged. Throws
    // SystemError when the store does not answer.
    std::vector<Schedule> all() const;

    // Ends the watch and the thread; afterwards the store may be destroyed.
    void stop();

private:
    struct Known;  // a schedule with its revisions and last time

    void loop();
    // Reads all schedules from the store, by id.
    std::map<std::string, Known> read() const;
    // Fires one schedule if it is due, and logs missed times. Returns its next time in minutes, INT64_MAX for none, or
    // 0 when the store must be read again.
    int64_t fire(const Known& known, int64_t nowMillis);
    void submit(const Known& known, int64_t minute);
    bool claim(const Known& known, int64_t minute, bool isMissed);
    void settleOwnClaim(const Known& known);
    void tell(const Schedule& schedule, const std::string& string) const;

    MetaStore& store_;
    JobQueue& queue_;
    const Options options_;
    Mutex mutex_;
    CondVar changed_;
    bool isStale_ GUARDED_BY(mutex_) = true;  // the store has changed since it was read
    bool isStopping_ GUARDED_BY(mutex_) = false;
    // Used by the thread alone:
    std::unique_ptr<MetaStore::Watch> watch_;
    std::map<std::string, int64_t> firedHere_;  // minute of the last job by id of the schedule
    std::thread thread_;
};

}  // namespace pelorus
