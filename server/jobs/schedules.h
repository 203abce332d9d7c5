// Schedules: functions that become batch jobs at times of day, kept in the metadata store.
//
// They survive restarts. In a cluster all nodes watch the same store, and each time fires on one of them: a node claims
// it by writing it down on the condition that nobody else has (compare-and-swap), and only then submits the job. A time
// that passed while no node ran, or that the claiming node died over, is logged as missed and not made up: nothing ever
// fires twice. A job has the rights that its owner has at that moment; that of a deleted user does not run.
//
// Thread-safe. One thread sleeps until the next time.
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

struct Schedule {
    std::string id;
    std::string description;
    std::string owner;
    ScheduleRule rule;
    int priority = 4;
    int parallelism = 2;
    int64_t createdMillis = 0;  // local
};

class Schedules {
public:
    struct Options {
        std::string node;                      // alias of this node
        std::function<int64_t()> localMillis;  // clock; empty: the machine's
        std::shared_ptr<JobLog> log;           // null: none is kept
        int64_t graceMillis = 60'000;          // a time that is longer ago is missed
    };
    // `store` and `queue` outlive the object. Throws nothing when the store does not answer: it tries again.
    Schedules(MetaStore& store, JobQueue& queue, Options options);
    ~Schedules();
    Schedules(const Schedules&) = delete;
    Schedules& operator=(const Schedules&) = delete;

    // Stores the schedule and returns its id: the one given; when that is taken, with the date and a number appended.
    // Throws UserError when the function cannot be kept, SystemError when the store does not answer.
    std::string add(Schedule schedule, const Ref<Function>& function, const Ref<Function>& onComplete);
    // Removes it. Throws UserError when there is none. A job that it has started goes on.
    void remove(const std::string& id);
    // Returns all schedules, by id, as they are in the store.
    std::vector<Schedule> all() const;

    // Ends the watch and the thread; the store may go afterwards.
    void stop();

private:
    struct Known;  // a schedule with its revisions and last time

    void loop();
    // Reads the store. Throws SystemError when it does not answer.
    std::map<std::string, Known> read() const;
    // Fires and logs what is due of one schedule; returns the next time that it has, or INT64_MAX.
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
    // Of the thread.
    std::unique_ptr<MetaStore::Watch> watch_;
    std::map<std::string, int64_t> firedHere_;  // id to the minute of the last job; one entry per schedule that fired
    std::thread thread_;
};

}  // namespace pelorus
