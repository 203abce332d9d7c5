// The running request of a connection: known to the registry of sessions, cancelled when the client leaves, the server
// stops or its time is over, and lowered when it runs for long. Thread-safe.
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

class RequestSlot {
public:
    struct Details {
        std::shared_ptr<const Principal> principal;
        int64_t sessionId = 0;
        std::string description;
        int priority = 4;
        int parallelism = 64;
        std::function<void(std::string_view)> print;   // empty: prints go nowhere
        std::function<void(std::string_view)> notice;  // see Request; empty: nobody reads them
        Progress* progress = nullptr;                  // see Request; outlives the run
        std::function<bool()> isWaiting;               // for a person: the time does not count. Empty: it never waits
        bool isUrgent = false;                         // never lowered
        bool endsWithClient = true;  // false for an asynchronous client, which may leave before its work is done
    };

    // Scope of a request in the name of the session's user, on the thread that evaluates it.
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
        const std::shared_ptr<Progress> progress_;  // its own, where nobody gave one
        std::shared_ptr<Request> request_;
        const std::shared_ptr<WorkArena> arena_;
        const WorkScope work_;
    };

    // Cancels the running request and later ones.
    void stop();
    // Cancels the running request if its client is gone. `isGone` is called while the request runs, and only then.
    void cancelIf(const std::function<bool()>& isGone);
    bool isBusy() const;
    // Lowers the running request and its thread once it has run for a second, and cancels it after `maxSeconds` (0: no
    // limit). Called now and then.
    void tend(double maxSeconds);
    // Whether the thread of the last request was lowered: it serves no other one. Resets the answer.
    bool takeLowered();
    // Returns why the last request was cancelled, where its client should read another reason than `failure`.
    std::string explain(std::string failure) const;

private:
    mutable Mutex mutex_;
    std::shared_ptr<Request> running_ GUARDED_BY(mutex_);
    // Of the running request, or of the last one.
    std::weak_ptr<WorkArena> arena_ GUARDED_BY(mutex_);
    std::chrono::steady_clock::time_point began_ GUARDED_BY(mutex_);
    std::chrono::steady_clock::time_point tended_ GUARDED_BY(mutex_);
    std::function<bool()> isWaiting_ GUARDED_BY(mutex_);
    int threadId_ GUARDED_BY(mutex_) = 0;
    bool isUrgent_ GUARDED_BY(mutex_) = false;
    bool isLowered_ GUARDED_BY(mutex_) = false;
    double overSeconds_ GUARDED_BY(mutex_) = 0;  // the limit that ended it
    bool endsWithClient_ GUARDED_BY(mutex_) = false;
    bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
