// StreamPush sends the rows of a stream table to a client that subscribed to it, on the client's own connection.
#pragma once

#include <memory>

#include "common/thread/mutex.h"

namespace pelorus {

class Connection;
class Publication;
class Publications;

// The part of a connection that belongs to a subscription. The thread of the connection calls `serve`, others the
// methods that say so.
class StreamPush {
public:
    // `connection` outlives the object.
    explicit StreamPush(Connection& connection) : connection_(connection) {}

    // Sends messages, as rows come, until one side ends it. A client that reads nothing is waited for as long as the
    // table keeps its rows. Throws nothing.
    void serve(Publications& all, const std::shared_ptr<Publication>& publication) LOCKS_EXCLUDED(mutex_);
    // Ends it. Any thread.
    void stop() LOCKS_EXCLUDED(mutex_);
    // Ends it when the client has left. Any thread; called several times a second.
    void tend() LOCKS_EXCLUDED(mutex_);

private:
    std::shared_ptr<Publication> running() const LOCKS_EXCLUDED(mutex_);
    void sendAll(Publication& publication);

    Connection& connection_;
    mutable Mutex mutex_;
    std::shared_ptr<Publication> publication_ GUARDED_BY(mutex_);  // null: nothing is sent
    bool isStopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
