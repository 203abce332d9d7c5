// RequestSlot holds the running request of a connection. The request is shown in the registry of sessions, cancelled
// when the client leaves, the server stops or its time is over, and lowered in priority when it runs for long.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "common/thread/work_arena.h"
#include "runtime/function/context.h"
#include "runtime/function/progress.h"
#include "server/session/session_registry.h"

namespace pelorus {

// A place for one request at a time. The thread that runs a request makes a Run; other threads may call all other
// functions. Thread-safe.
class RequestSlot {
public:
    // The properties of a request that is about to run.
    struct Details {
        std::shared_ptr<const Principal> principal;
        int64_t sessionId = 0;
        std::string description;
        int priority = 4;
        int parallelism = 64;
        std::function<void(std::string_view)> print;   // takes what the script prints; empty: it is dropped
        std::function<void(std::string_view)> notice;  // takes remarks, see Request; empty: they are dropped
        Progress* progress = nullptr;     // counters, see Request, which outlive the run; null: the run makes them
        std::function<bool()> isWaiting;  // waits for a person, which does not count; empty: never
        bool isUrgent = false;            // priority is never lowered
        double maxSeconds = 0;            // the client's own limit, beside that of the server; 0: none
        bool endsWithClient = true;       // false for an asynchronous client, which may leave before its work is done
    };

    // Scope of a request in the name of the session's user, on the thread that evaluates it. REQUIRES: the slot is not
    // busy; slot and sessions outlive it.
    class Run {
    public:
        Run(RequestSlot& slot, SessionRegistry& sessions, Details details);
        ~Run();
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;
        Request& request() { return *request_; }

    private:
        RequestSlot& slot_;
        SessionRegistry& sessions_;
        const int64_t sessionId_;
        const std::shared_ptr<Progress> progress_;  // counters of the run, when Details has none
        std::shared_ptr<Request> request_;
        const std::shared_ptr<WorkArena> arena_;
        const WorkScope work_;
    };

    // Cancels the running request and all later ones.
    void stop();
    // Cancels the running request if `isGone` returns true and the request ends with its client. `isGone` is called
    // only while a request runs.
    void cancelIf(const std::function<bool()>& isGone);
    bool isBusy() const;
    // Lowers the priority of the running request and its thread once it has run for a second, and cancels it after
    // `maxSeconds` (0: no limit). Called several times a second.
    void tend(double maxSeconds);
    // Returns whether the thread of the last request was lowered, and resets that: the thread must serve no other
    // request.
    bool takeLowered();
    // Returns the reason for the client: that the last request ran too long, or else `failure`.
    std::string explain(std::string failure) const;

private:
    mutable Mutex mutex_;
    std::shared_ptr<Request> running_ GUARDED_BY(mutex_);
    // The following belong to the running request, or to the last one.
    std::weak_ptr<WorkArena> arena_ GUARDED_BY(mutex_);
    std::chrono::steady_clock::time_point began_ GUARDED_BY(mutex_);
    std::chrono::steady_clock::time_point tended_ GUARDED_BY(mutex_);
    std::function<bool()> isWaiting_ GUARDED_BY(mutex_);
    int threadId_ GUARDED_BY(mutex_) = 0;
    bool isUrgent_ GUARDED_BY(mutex_) = false;
    bool isLowered_ GUARDED_BY(mutex_) = false;
    double ownMaxSeconds_ GUARDED_BY(mutex_) = 0;  // limit that the client set; 0: none
    double overSeconds_ GUARDED_BY(mutex_) = 0;    // limit that it exceeded; 0: none
    bool isOverOwn_ GUARDED_BY(mutex_) = false;    // it exceeded that of the client
    bool endsWithClient_ GUARDED_BY(mutex_) = false;
    bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
