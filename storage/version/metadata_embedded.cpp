#include "storage/version/metadata_embedded.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"

namespace pelorus {

static constexpr size_t kKeptRevisions = 8;

static int64_t nowMillis() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

const EmbeddedMetaStore::Item* EmbeddedMetaStore::elementAt(const History& history, uint64_t revision) const {
    if (revision == 0) return &history.back();
    for (auto element = history.rbegin(); element != history.rend(); ++element) {
        if (element->revision <= revision) return &*element;
    }
    if (history.size() < kKeptRevisions) return nullptr;  // the key is younger than that
    throw SystemError("The metadata of revision " + std::to_string(revision) + " is no longer kept.",
                      "Read the newest revision.", true);
}

std::optional<MetaEntry> EmbeddedMetaStore::get(const std::string& key, uint64_t revision) {
    endLeases();
    const ReaderLock lock(mutex_);
    auto it = elements_.find(key);
    if (it == elements_.end()) return std::nullopt;
    const Item* element = elementAt(it->second, revision);
    if (element == nullptr || !element->value) return std::nullopt;
    return MetaEntry{key, *element->value, element->revision};
}

MetaRead EmbeddedMetaStore::range(const std::string& prefix, uint64_t revision, size_t limit) {
    endLeases();
    const ReaderLock lock(mutex_);
    MetaRead read;
    read.revision = revision != 0 ? revision : revision_;
    for (auto it = elements_.lower_bound(prefix); it != elements_.end() && it->first.starts_with(prefix); ++it) {
        const Item* element = elementAt(it->second, revision);
        if (element == nullptr || !element->value) continue;
        read.entries.push_back({it->first, *element->value, element->revision});
        if (read.entries.size() == limit) break;
    }
    return read;
}

MetaOutcome EmbeddedMetaStore::transact(const std::vector<MetaCondition>& conditions,
                                        const std::vector<MetaWrite>& writes) {
    endLeases();
    const MutexLock transaction(transaction_);
    {
        const ReaderLock lock(mutex_);
        for (const MetaCondition& condition : conditions) {
            auto it = elements_.find(condition.key);
            const bool exists = it != elements_.end() && it->second.back().value.has_value();
            const uint64_t revision = exists ? it->second.back().revision : 0;
            if (revision != condition.revision) return {false, revision_};
        }
    }
    std::vector<Edit> edits;
    for (const MetaWrite& write : writes) {
        Edit edit;
        edit.kind = format::EditKind::MetaWrite;
        edit.meta = write;
        edits.push_back(std::move(edit));
    }
    const uint64_t revision = commit_(std::move(edits));
    const MutexLock guard(leaseMutex_);
    for (const MetaWrite& write : writes) {
        auto lease = leases_.find(write.lease);
        if (lease != leases_.end()) lease->second.keys.insert(write.key);
    }
    return {true, revision};
}

void EmbeddedMetaStore::apply(uint64_t number, const std::vector<Edit>& edits) {
    std::vector<MetaChange> changes;
    {
        const WriterLock lock(mutex_);
        for (const Edit& edit : edits) {
            if (edit.kind != format::EditKind::MetaWrite) continue;
            History& history = elements_[edit.meta.key];
            history.push_back({edit.meta.value, number});
            if (history.size() > kKeptRevisions) history.pop_front();
            changes.push_back({edit.meta.key, edit.meta.value, number});
        }
        if (!changes.empty()) revision_ = number;
    }
    if (changes.empty()) return;
    const MutexLock guard(watchMutex_);
    for (Watcher& watcher : watchers_) {
        if (watcher.told >= number) continue;
        std::vector<MetaChange> seen;
        for (const MetaChange& change : changes) {
            if (change.key.starts_with(watcher.prefix)) seen.push_back(change);
        }
        if (!seen.empty()) watcher.onChange(seen);
    }
}

class EmbeddedMetaStore::Handle final : public Watch {
public:
    Handle(EmbeddedMetaStore& store, std::list<Watcher>::iterator watcher) : store_(store), watcher_(watcher) {}
    ~Handle() override {
        const MutexLock guard(store_.watchMutex_);
        store_.watchers_.erase(watcher_);
    }

private:
    EmbeddedMetaStore& store_;
    std::list<Watcher>::iterator watcher_;
};

std::unique_ptr<MetaStore::Watch> EmbeddedMetaStore::watch(const std::string& prefix, uint64_t afterRevision,
                                                           OnChange onChange, std::function<void()>) {
    // Holding the watch lock delays newer changes until the older ones have been reported.
    const MutexLock guard(watchMutex_);
    std::vector<MetaChange> missed;
    {
        const ReaderLock lock(mutex_);
        for (auto it = elements_.lower_bound(prefix); it != elements_.end() && it->first.starts_with(prefix); ++it) {
            const Item& element = it->second.back();
            if (element.revision > afterRevision) missed.push_back({it->first, element.value, element.revision});
        }
    }
    uint64_t told = afterRevision;
    for (const MetaChange& change : missed) told = std::max(told, change.revision);
    if (!missed.empty()) onChange(missed);
    watchers_.push_back({prefix, std::move(onChange), told});
    return std::make_unique<Handle>(*this, std::prev(watchers_.end()));
}

uint64_t EmbeddedMetaStore::grantLease(int64_t timeoutMillis) {
    const MutexLock guard(leaseMutex_);
    leases_[++lastLease_] = {timeoutMillis, nowMillis() + timeoutMillis, {}};
    return lastLease_;
}

bool EmbeddedMetaStore::keepAlive(uint64_t lease) {
    endLeases();
    const MutexLock guard(leaseMutex_);
    auto it = leases_.find(lease);
    if (it == leases_.end()) return false;
    it->second.endMillis = nowMillis() + it->second.timeoutMillis;
    return true;
}

void EmbeddedMetaStore::revokeLease(uint64_t lease) {
    {
        const MutexLock guard(leaseMutex_);
        auto it = leases_.find(lease);
        if (it == leases_.end()) return;
        it->second.endMillis = 0;
    }
    endLeases();
}

// Removes the keys of leases that have ended. Every call checks, so that no thread has to wait for the end of a lease.
void EmbeddedMetaStore::endLeases() {
    std::vector<MetaWrite> removals;
    {
        const MutexLock guard(leaseMutex_);
        if (leases_.empty()) return;
        const int64_t now = nowMillis();
        for (auto it = leases_.begin(); it != leases_.end();) {
            if (it->second.endMillis > now) {
                ++it;
                continue;
            }
            for (const std::string& key : it->second.keys) removals.push_back({key, std::nullopt, 0});
            it = leases_.erase(it);
        }
    }
    if (!removals.empty()) transact({}, removals);
}

std::vector<MetaEntry> EmbeddedMetaStore::entries() const {
    const ReaderLock lock(mutex_);
    std::vector<MetaEntry> entries;
    for (const auto& [key, history] : elements_) {
        if (history.back().value) entries.push_back({key, *history.back().value, history.back().revision});
    }
    return entries;
}

void EmbeddedMetaStore::restore(const std::vector<MetaEntry>& entries, uint64_t revision) {
    const WriterLock lock(mutex_);
    elements_.clear();
    for (const MetaEntry& entry : entries) elements_[entry.key].push_back({entry.value, entry.revision});
    revision_ = revision;
}

std::unique_ptr<MetaStore> memoryMetaStore() {
    struct Records {
        EmbeddedMetaStore* store = nullptr;
        uint64_t number = 0;
    };
    auto records = std::make_shared<Records>();
    auto store = std::make_unique<EmbeddedMetaStore>([records](std::vector<Edit> edits) {
        records->store->apply(++records->number, edits);
        return records->number;
    });
    records->store = store.get();
    return store;
}

}  // namespace pelorus
