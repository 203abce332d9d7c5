#include "server/connection/stream_push.h"

#include "common/error.h"
#include "common/log.h"
#include "net/connection.h"
#include "net/web_socket_frames.h"
#include "streaming/publication/publications.h"

namespace pelorus {

std::shared_ptr<Publication> StreamPush::running() const {
    const MutexLock lock(mutex_);
    return publication_;
}

void StreamPush::stop() {
    {
        const MutexLock lock(mutex_);
        isStopped_ = true;
    }
    if (const auto publication = running()) publication->close();
}

void StreamPush::tend() {
    const auto publication = running();
    if (publication && connection_.pollPeer()) publication->close();
}

void StreamPush::sendAll(Publication& publication) {
    const auto send = [this](const Publication::Message& message) {
        connection_.write(std::vector<std::string_view>{message.head, message.body->bytes});
    };
    send(publication.schemaMessage());
    try {
        while (const auto message = publication.nextMessage()) send(*message);
    } catch (const Error& error) {
        if (publication.isClosed()) return;  // the connection was shut down
        logInfo("streaming", "a subscription of a client ended",
                {{"subscription", publication.options().topic},
                 {"from", connection_.peerAddress()},
                 {"why", error.what()}});
        // Only WebSocket clients read errors between messages.
        if (connection_.isWebSocket()) send(publication.errorMessage(error.what()));
    }
}

void StreamPush::serve(Publications& all, const std::shared_ptr<Publication>& publication) {
    connection_.awaitSlowPeer();
    publication->attach([this] { connection_.shutdown(); }, [this] { return connection_.peerHasLeft(); });
    bool isStopped = false;
    {
        const MutexLock lock(mutex_);
        publication_ = publication;
        isStopped = isStopped_;
    }
    if (isStopped) publication->close();
    try {
        sendAll(*publication);
    } catch (const std::exception&) {
        // The client has left.
    }
    publication->detach();
    all.remove(publication);
    const MutexLock lock(mutex_);
    publication_.reset();
}

}  // namespace pelorus
