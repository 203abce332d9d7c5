// The running request of a connection: known to the registry of sessions, and cancelled when the client leaves or the
// server stops. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"
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
        bool endsWithClient = true;  // false for an asynchronous client, which may leave before its work is done
    };

    // Scope of a request in the name of the session's user.
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
        std::shared_ptr<Request> request_;
    };

    // Cancels the running request and later ones.
    void stop();
    // Cancels the running request if its client is gone. `isGone` is called while the request runs, and only then.
    void cancelIf(const std::function<bool()>& isGone);
    bool isBusy() const;

private:
    mutable Mutex mutex_;
    std::shared_ptr<Request> running_ GUARDED_BY(mutex_);
    bool endsWithClient_ GUARDED_BY(mutex_) = false;
    bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
