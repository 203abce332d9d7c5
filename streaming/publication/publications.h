// Publications is the registry of the subscribers elsewhere to the stream tables of a node.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/thread/mutex.h"
#include "streaming/publication/publication.h"

namespace pelorus {

class Request;

// A service of the process. A publication lives as long as the connection to its subscriber. Thread-safe.
class Publications {
public:
    ~Publications() { stop(); }

    // What the connection of a client offers to the publishTable of one request: that messages go to it. The thread of
    // the request uses it.
    class Offer {
    public:
        // The client's end of the connection, and what it said when it connected.
        struct Client {
            std::string host;
            int port = 0;
            bool takesMessages = false;  // the connection may be given to messages
            std::string filter;          // condition on rows; empty: none
        };
        // The registry outlives the offer.
        Offer(Publications& all, const Request& request, Client client);
        ~Offer();
        Offer(const Offer&) = delete;
        Offer& operator=(const Offer&) = delete;

        const Client& client() const { return client_; }
        void take(std::shared_ptr<Publication> publication) { publication_ = std::move(publication); }
        // Returns the publication that the request made, whose messages the caller sends; null when it made none. One
        // that nobody asks for ends with the offer.
        std::shared_ptr<Publication> release() { return std::move(publication_); }
        bool isTaken() const { return publication_ != nullptr; }

    private:
        Publications& all_;
        const Request* const request_;
        const Client client_;
        std::shared_ptr<Publication> publication_;
    };
    // Returns what the client of the request offers; null when its connection takes no messages.
    Offer* offerOf(const Request& request) const;

    // Makes a publication and begins to listen to the table. `rowsOfMessage` bounds the messages of the table's first
    // subscriber and of all that come while there are some. Throws UserError when the node stops.
    std::shared_ptr<Publication> add(const Services& services, const Ref<MemoryTable>& table, int64_t rowsOfMessage,
                                     PublicationOptions options, std::unique_ptr<RowFilter> filter,
                                     std::shared_ptr<const FunctionCells> cells, int64_t first);
    // Returns those that are not closed, in the order in which they came.
    std::vector<std::shared_ptr<Publication>> all() const;
    // Closes it and forgets it.
    void remove(const std::shared_ptr<Publication>& publication);
    // Closes those of the table whose subscriber has left.
    void closeLeft(const MemoryTable& table);
    // Closes all; later ones are refused.
    void stop();

private:
    mutable Mutex mutex_;
    std::map<const Request*, Offer*> offers_ GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<Publication>> all_ GUARDED_BY(mutex_);
    std::map<const MemoryTable*, std::weak_ptr<PublishedTable>> tables_ GUARDED_BY(mutex_);
    bool isStopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
