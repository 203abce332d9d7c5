#include "streaming/subscription/subscriptions.h"

#include <fmt/format.h>

#include "common/error.h"

namespace pelorus {

static constexpr auto kStoppingTime = std::chrono::seconds(3);

// Equal hashes are one strand: what they run never overlaps.
std::shared_ptr<Strand> Subscriptions::strandOf(int hash) {
    if (hash < 0) return std::make_shared<Strand>();
    std::erase_if(strandsByHash_, [](const auto& known) { return known.second.expired(); });
    std::weak_ptr<Strand>& known = strandsByHash_[hash];
    std::shared_ptr<Strand> strand = known.lock();
    if (!strand) {
        strand = std::make_shared<Strand>();
        known = strand;
    }
    return strand;
}

std::string Subscriptions::add(const Services& services, const Ref<MemoryTable>& table, SubscriptionOptions options,
                               std::unique_ptr<RowFilter> filter, std::shared_ptr<const FunctionCells> cells,
                               int64_t first) {
    std::shared_ptr<Subscription> made;
    {
        const MutexLock lock(mutex_);
        if (isStopped_) throw UserError("The node stops: it takes no more subscriptions.");
        const Key key(options.server, options.table, options.action);
        if (all_.contains(key))
            throw UserError(fmt::format("The subscription {} already exists. RefId: S03002", options.topic),
                            "End it first with unsubscribeTable, or give another actionName.");
        const int hash = options.hash;
        made = std::make_shared<Subscription>(services, strands_, strandOf(hash), table, std::move(options),
                                              std::move(filter), std::move(cells), first);
        all_.emplace(key, made);
    }
    made->start();
    return made->options().topic;
}

std::shared_ptr<Subscription> Subscriptions::find(std::string_view table, std::string_view action,
                                                  std::string_view server) const {
    const MutexLock lock(mutex_);
    const auto found = all_.find(Key(server, table, action));
    return found == all_.end() ? nullptr : found->second;
}

bool Subscriptions::remove(std::string_view table, std::string_view action, std::string_view server) {
    std::shared_ptr<Subscription> ended;
    {
        const MutexLock lock(mutex_);
        const auto found = all_.find(Key(server, table, action));
        if (found == all_.end()) return false;
        ended = found->second;
        all_.erase(found);
    }
    ended->close();
    return true;
}

std::vector<std::shared_ptr<Subscription>> Subscriptions::all() const {
    std::vector<std::shared_ptr<Subscription>> list;
    const MutexLock lock(mutex_);
    for (const auto& [key, subscription] : all_) list.push_back(subscription);
    return list;
}

void Subscriptions::stop() {
    std::map<Key, std::shared_ptr<Subscription>> ended;
    {
        const MutexLock lock(mutex_);
        isStopped_ = true;
        ended.swap(all_);
    }
    const auto deadline = Strands::Clock::now() + kStoppingTime;
    for (const auto& [key, subscription] : ended) subscription->closeUntil(deadline);
    strands_.stop();
}

}  // namespace pelorus
