// The environment of a running call: where it prints, whether it must stop, which user asked, its scope, and the
// services of the process (catalog, cluster, jobs).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "runtime/memory/budget.h"
#include "runtime/value/value.h"

namespace pelorus {

class CallerTables;
class Principal;
class Progress;

// The long-lived parts of a process, found by type. Filled once at start by the application, read by everyone.
class Services {
public:
    template <class T>
    void add(std::shared_ptr<T> service) {
        services_[std::type_index(typeid(T))] = std::move(service);
    }
    // Returns nullptr when the process has no such part.
    template <class T>
    T* find() const {
        auto it = services_.find(std::type_index(typeid(T)));
        return it == services_.end() ? nullptr : static_cast<T*>(it->second.get());
    }

private:
    std::unordered_map<std::type_index, std::shared_ptr<void>> services_;
};

// The names a piece of code can see when it is evaluated: eval, macro variables, queries.
class Scope {
public:
    virtual ~Scope() = default;
    // Finds the variable or user function of that name; returns false when there is none.
    virtual bool lookup(std::string_view name, Value& value) const = 0;
    // Returns the name of the variable that holds this very object (a table, a dictionary), variables of the session
    // first; empty when there is none.
    virtual std::string nameOf(const Object&) const { return ""; }
};

// The state of one request, shared by the threads that work for it. Thread-safe.
class Request {
public:
    explicit Request(std::shared_ptr<const Principal> principal);

    // Returns who asks. A login within the request changes it; what was returned before lives as long as the request.
    const Principal& principal() const { return *principal_.load(std::memory_order_acquire); }
    std::shared_ptr<const Principal> sharedPrincipal() const;
    void setPrincipal(std::shared_ptr<const Principal> principal);

    CancellationFlag cancelled{false};
    int64_t sessionId = 0;
    std::function<void(std::string_view)> print;  // writes one message to the client; may be empty
    // Shows a person at a console or an editor a message about the statement that is not its output: an interpretation
    // that may not be meant, fields that an import could not read. Empty for programs. Called by the request's own
    // thread.
    std::function<void(std::string_view)> notice;
    Progress* progress = nullptr;  // progress of the statement, when a client shows it; updated by ProgressPhase

private:
    std::atomic<const Principal*> principal_;
    mutable Mutex mutex_;
    std::vector<std::shared_ptr<const Principal>> principals_ GUARDED_BY(mutex_);  // the last one is `principal_`
};

class Context {
public:
    Context(const Services& services, Request& request) : services(&services), request(&request) {}

    // Throws UserError when the request was cancelled, SystemError when the memory limit is passed. Called between
    // blocks, tasks and loop iterations.
    void checkCancelled() const {
        if (request->cancelled.load(std::memory_order_relaxed) || memory::isPassed()) stop();
    }
    template <class T>
    T* service() const {
        return services->find<T>();
    }

    // Returns whose rights the running code has: those of the definer within a function view, else those of the
    // request.
    const Principal& principal() const { return definer ? *definer : request->principal(); }

    const Services* services;
    Request* request;
    const Principal* definer = nullptr;  // definer of the function view whose body runs; lives as long as the call
    const CallerTables* callerTables = nullptr;  // tables that the caller passed to that view; live as long as the call
    const Scope* scope = nullptr;                // scope of the calling code; nullptr outside of all scopes
    void* session = nullptr;  // interpreter::Session of the request, for the interpreter's own built-ins
    int callDepth = 0;

private:
    void stop() const;
};

}  // namespace pelorus
