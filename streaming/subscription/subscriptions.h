// Subscriptions is the registry of the subscriptions of a node and the threads that run them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/thread/mutex.h"
#include "streaming/subscription/strands.h"
#include "streaming/subscription/subscription.h"

namespace pelorus {

// A service of the process. A subscription lives until it is ended or the process stops, whatever becomes of the
// session that made it. Thread-safe.
class Subscriptions {
public:
    explicit Subscriptions(int workers) : strands_(workers) {}
    // Calls stop.
    ~Subscriptions() { stop(); }

    // Subscribes and returns the topic. `first` is the number of the row to begin with. Throws UserError, S03002, when
    // there is one of this server, table and action.
    std::string add(const Services& services, const Ref<MemoryTable>& table, SubscriptionOptions options,
                    std::unique_ptr<RowFilter> filter, std::shared_ptr<const FunctionCells> cells, int64_t first);
    // Returns null when there is none.
    std::shared_ptr<Subscription> find(std::string_view table, std::string_view action,
                                       std::string_view server = {}) const;
    // Ends it, as Subscription::close does. Returns false when there is none.
    bool remove(std::string_view table, std::string_view action, std::string_view server = {});
    // In the order of their topics.
    std::vector<std::shared_ptr<Subscription>> all() const;

    // The threads that run handlers, for other tasks of streams.
    Strands& strands() { return strands_; }

    // Ends all: running handlers get a short time and are then cancelled. Later subscriptions are refused.
    void stop();

private:
    using Key = std::tuple<std::string, std::string, std::string>;  // server, table and action

    std::shared_ptr<Strand> strandOf(int hash) EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    Strands strands_;
    mutable Mutex mutex_;
    std::map<Key, std::shared_ptr<Subscription>> all_ GUARDED_BY(mutex_);
    std::map<int, std::weak_ptr<Strand>> strandsByHash_ GUARDED_BY(mutex_);
    bool isStopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace pelorus
