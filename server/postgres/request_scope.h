// RequestScope runs the requests of one connection of PostgreSQL's protocol on the connection's own thread.
//
// A request is whatever messages a client sends together: it begins with the first one that needs the engine and ends
// when the answer goes out, so that the statements of a pipeline share the cost of one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/function/context.h"

namespace pelorus {
class Connection;
class RequestSlot;
struct ServerParts;
}  // namespace pelorus

namespace pelorus::postgres {

class StatementCache;

// The running request of a connection, if there is one. The thread of the connection owns it; what a request prints may
// come from any thread.
class RequestScope {
public:
    // All of them outlive the object.
    struct Place {
        Connection& connection;
        ServerParts& server;
        RequestSlot& slot;
        int64_t sessionId = 0;
        bool onlyAdministrators = false;  // the connection has one of the places that are kept for them
    };
    explicit RequestScope(const Place& place);
    ~RequestScope();
    RequestScope(const RequestScope&) = delete;
    RequestScope& operator=(const RequestScope&) = delete;

    // Returns the context of the running request, which begins here if there is none: in the name of the session's user
    // with the rights of this moment. `description` is what others see of it, `timeoutMillis` ends it (0: nothing
    // does). Throws SqlError 57P01 when the server stops, 28000 when the user is gone or may not run scripts.
    Context& open(std::string_view description, int64_t timeoutMillis);
    bool isOpen() const { return open_ != nullptr; }
    void close();

    // Throws UserError when the result is larger than the limits of user and server allow.
    void requireSize(const Value& result) const;
    // Records the bytes of results that the session holds for its client. Throws UserError when they are too many.
    void holdAnswer(int64_t bytes);

    // An error as the client sees it: why a request that was cancelled ended, else as it is.
    struct Failure {
        std::string state;    // empty: the error's own
        std::string message;  // empty: the error's own
    };
    // Counts and audits an error of the running request, and says what it is for the client.
    Failure failed(const std::exception& error);
    // Runs a script in a session of its own, and returns what it gives. Throws what it throws.
    Value runScript(std::string_view script, Context& context);
    // Records how the client calls itself.
    void noteApplication(const std::string& name);
    // Returns the statements that sessions of the node share; null: they share none.
    StatementCache* statements() const;
    // Returns what was printed since the last call.
    std::vector<std::string> takePrinted();

private:
    struct Open;
    void print(std::string_view text) LOCKS_EXCLUDED(mutex_);

    const Place place_;
    std::unique_ptr<Open> open_;
    int64_t heldBytes_ = 0;
    Mutex mutex_;
    std::vector<std::string> printed_ GUARDED_BY(mutex_);  // bounded
};

}  // namespace pelorus::postgres
