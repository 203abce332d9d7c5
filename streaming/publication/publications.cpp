#include "streaming/publication/publications.h"

#include "common/error.h"

namespace pelorus {

Publications::Offer::Offer(Publications& all, const Request& request, Client client)
    : all_(all), request_(&request), client_(std::move(client)) {
    const MutexLock lock(all_.mutex_);
    all_.offers_[request_] = this;
}

Publications::Offer::~Offer() {
    if (publication_) all_.remove(publication_);
    const MutexLock lock(all_.mutex_);
    all_.offers_.erase(request_);
}

Publications::Offer* Publications::offerOf(const Request& request) const {
    const MutexLock lock(mutex_);
    const auto found = offers_.find(&request);
    return found == offers_.end() ? nullptr : found->second;
}

std::shared_ptr<Publication> Publications::add(const Services& services, const Ref<MemoryTable>& table,
                                               int64_t rowsOfMessage, PublicationOptions options,
                                               std::unique_ptr<RowFilter> filter,
                                               std::shared_ptr<const FunctionCells> cells, int64_t first) {
    std::shared_ptr<Publication> made;
    {
        const MutexLock lock(mutex_);
        if (isStopped_) throw UserError("The node stops: it takes no more subscriptions.");
        std::erase_if(tables_, [](const auto& known) { return known.second.expired(); });
        std::weak_ptr<PublishedTable>& known = tables_[table.get()];
        std::shared_ptr<PublishedTable> shared = known.lock();
        if (!shared) known = shared = std::make_shared<PublishedTable>(table, rowsOfMessage);
        made = std::make_shared<Publication>(services, std::move(shared), std::move(options), std::move(filter),
                                             std::move(cells), first);
        all_.push_back(made);
    }
    made->start();
    return made;
}

std::vector<std::shared_ptr<Publication>> Publications::all() const {
    std::vector<std::shared_ptr<Publication>> open;
    const MutexLock lock(mutex_);
    for (const auto& publication : all_) {
        if (!publication->isClosed()) open.push_back(publication);
    }
    return open;
}

void Publications::remove(const std::shared_ptr<Publication>& publication) {
    publication->close();
    const MutexLock lock(mutex_);
    std::erase(all_, publication);
}

void Publications::closeLeft(const MemoryTable& table) {
    for (const auto& publication : all()) {
        if (publication->table().get() == &table && publication->hasLeft()) publication->close();
    }
}

void Publications::stop() {
    std::vector<std::shared_ptr<Publication>> ended;
    {
        const MutexLock lock(mutex_);
        isStopped_ = true;
        ended.swap(all_);
        tables_.clear();
    }
    for (const auto& publication : ended) publication->close();
}

}  // namespace pelorus
