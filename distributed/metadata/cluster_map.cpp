#include "distributed/metadata/cluster_map.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"

namespace pelorus {

static constexpr auto kRetryEvery = std::chrono::milliseconds(200);
static constexpr auto kProbeEvery = std::chrono::milliseconds(400);
static constexpr auto kProbeTimeout = std::chrono::milliseconds(700);
static constexpr auto kPollInterval = std::chrono::milliseconds(100);
static constexpr auto kCutOffAfter = std::chrono::milliseconds(1500);

// Returns the error of a store that does not answer. `why` is the error of the last read; empty when there is none.
static SystemError noContact(const std::string& why) {
    return SystemError(why.empty() ? "The metadata store does not answer." : why,
                       "Check that etcd runs, and that this machine reaches it.", true);
}

ClusterMap::ClusterMap(MetaStore& store, Install install, std::chrono::milliseconds maxStaleness)
    : store_(store), install_(std::move(install)), maxStaleness_(maxStaleness) {
    readState();
    watch();
    {
        const MutexLock lock(readMutex_);
        noteContact();
    }
    thread_ = startThread([this] { run(); });
    contactThread_ = startThread([this] { keepContact(); });
}

ClusterMap::~ClusterMap() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    changed_.notifyAll();
    {
        const MutexLock lock(readMutex_);
        isEnding_ = true;
    }
    readChanged_.notifyAll();
    thread_.join();
    contactThread_.join();
    watch_.reset();
}

void ClusterMap::readState() {
    const MetaRead read = store_.range("");
    std::vector<ClusterMoment> moments;
    {
        const MutexLock lock(mutex_);
        moments = state_.read(read);
        readAt_ = read.revision;
    }
    for (const ClusterMoment& moment : moments) installed(moment);
}

void ClusterMap::watch() {
    uint64_t from = 0;
    {
        const MutexLock lock(mutex_);
        from = readAt_;
        lost_ = false;
    }
    watch_ = store_.watch(
        "", from, [this](const std::vector<MetaChange>& changes) { apply(changes); },
        [this] {
            const MutexLock lock(mutex_);
            lost_ = true;
            changed_.notifyAll();
        });
}

void ClusterMap::run() {
    MutexLock lock(mutex_);
    while (!stopping_) {
        if (!lost_) {
            changed_.wait(lock);
            continue;
        }
        lock.unlock();
        try {
            logWarning("cluster", "the metadata store no longer has all changes; its state is read again", {});
            watch_.reset();
            readState();
            watch();
        } catch (const Error&) {
            std::this_thread::sleep_for(kRetryEvery);
        }
        lock.lock();
    }
}

void ClusterMap::apply(const std::vector<MetaChange>& changes) {
    std::optional<ClusterMoment> moment;
    {
        const MutexLock lock(mutex_);
        moment = state_.apply(changes);
    }
    changed_.notifyAll();
    if (moment) installed(*moment);
}

void ClusterMap::installed(const ClusterMoment& moment) {
    for (;;) {
        try {
            install_(moment);
            break;
        } catch (const Error& error) {
            logWarning("cluster", "what the cluster decided can't be installed yet", {{"error", error.what()}});
        }
        MutexLock lock(mutex_);
        if (stopping_) return;
        changed_.waitFor(lock, kRetryEvery);
    }
    {
        const MutexLock lock(mutex_);
        installed_ = std::max(installed_, moment.revision);
    }
    changed_.notifyAll();
}

uint64_t ClusterMap::currentRevision() {
    return askRevision(false);
}

// Returns the newest revision. While the node has no contact, callers other than the probe wait for the next probe
// only, and do not read.
uint64_t ClusterMap::askRevision(bool isProbe) {
    MutexLock lock(readMutex_);
    const auto deadline = std::chrono::steady_clock::now() + kProbeTimeout;
    while (!isProbe && isCutOff()) {
        if (std::chrono::steady_clock::now() >= deadline) throw noContact(readError_);
        readChanged_.waitUntil(lock, deadline);
    }
    const uint64_t needed = readsBegun_ + 1;  // a read that began earlier may miss what the caller must see
    while (readsDone_ < needed) {
        if (!isProbe && isCutOff()) throw noContact(readError_);
        if (reading_) {
            readChanged_.waitFor(lock, kPollInterval);
            continue;
        }
        reading_ = true;
        const uint64_t own = ++readsBegun_;
        lock.unlock();
        uint64_t revision = 0;
        std::string error;
        try {
            const auto clock = store_.get(kClockKey);
            revision = clock ? clock->revision : 1;
        } catch (const std::exception& e) {
            error = e.what();
        }
        lock.lock();
        reading_ = false;
        readsDone_ = own;
        readRevision_ = revision;
        readError_ = error;
        if (revision != 0) noteContact();
        readChanged_.notifyAll();
    }
    if (readRevision_ == 0) throw SystemError(readError_, "Check that the metadata store runs.", true);
    return readRevision_;
}

uint64_t ClusterMap::revisionToRead() {
    try {
        return currentRevision();
    } catch (const SystemError&) {
        if (staleness() > maxStaleness_ || maxStaleness_.count() == 0) throw;
    }
    const uint64_t revision = installed();
    const MutexLock lock(readMutex_);
    if (!std::exchange(isStaleTold_, true))
        logWarning("cluster", "the metadata store does not answer; queries read what was known before",
                   {{"revision", revision}, {"maxStaleness", maxStaleness_.count() / 1000}});
    return revision;
}

std::chrono::milliseconds ClusterMap::staleness() const {
    const MutexLock lock(readMutex_);
    if (!isCutOff()) return {};
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - contact_.last);
}

void ClusterMap::noteContact() {
    const auto now = std::chrono::steady_clock::now();
    isStaleTold_ = false;
    if (now - contact_.last > kCutOffAfter) contact_.first = now;
    contact_.last = now;
}

bool ClusterMap::isCutOff() const {
    return std::chrono::steady_clock::now() - contact_.last > kCutOffAfter;
}

bool ClusterMap::hasContact(std::chrono::milliseconds since) const {
    const MutexLock lock(readMutex_);
    return !isCutOff() && contact_.last - contact_.first >= since;
}

void ClusterMap::keepContact() {
    MutexLock lock(readMutex_);
    while (!isEnding_) {
        lock.unlock();
        try {
            askRevision(true);
        } catch (const Error&) {
            // The error is noted in readError_.
        }
        lock.lock();
        const auto next = std::chrono::steady_clock::now() + kProbeEvery;
        while (!isEnding_ && readChanged_.waitUntil(lock, next)) {
        }
    }
}

uint64_t ClusterMap::installed() const {
    const MutexLock lock(mutex_);
    return installed_;
}

static SystemError notHeardYet() {
    return SystemError("This node has not heard of the newest changes of the cluster yet.", "Try again.", true);
}

void ClusterMap::await(uint64_t revision, std::chrono::milliseconds timeout) const {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    MutexLock lock(mutex_);
    while (installed_ < revision) {
        if (stopping_ || std::chrono::steady_clock::now() >= deadline) throw notHeardYet();
        changed_.waitUntil(lock, deadline);
    }
}

void ClusterMap::awaitState(uint64_t revision, std::chrono::milliseconds timeout) const {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    MutexLock lock(mutex_);
    while (state_.revision() < revision) {
        if (stopping_ || std::chrono::steady_clock::now() >= deadline) throw notHeardYet();
        changed_.waitUntil(lock, deadline);
    }
}

ClusterMap::View ClusterMap::view() const {
    const MutexLock lock(mutex_);
    return {state_.revision(), state_.base(), state_.config()};
}

std::shared_ptr<const ClusterConfig> ClusterMap::config() const {
    const MutexLock lock(mutex_);
    return state_.config();
}

PlacedChunks ClusterMap::chunks(const std::string& database) const {
    const MutexLock lock(mutex_);
    return state_.chunks(database);
}

std::optional<PlacedChunk> ClusterMap::chunk(const std::string& database, const std::string& path) const {
    const MutexLock lock(mutex_);
    return state_.chunk(database, path);
}

std::optional<std::string> ClusterMap::firstNotKept(const std::string& alias, uint64_t revision, uint64_t table,
                                                    const std::vector<std::string>& paths) const {
    const MutexLock lock(mutex_);
    return state_.firstNotKept(alias, revision, table, paths);
}

std::vector<std::pair<std::string, PlacedChunk>> ClusterMap::unsettled() const {
    const MutexLock lock(mutex_);
    return state_.unsettled();
}

std::vector<uint64_t> ClusterMap::tablesOf(const std::string& database) const {
    const MutexLock lock(mutex_);
    return state_.tablesOf(database);
}

bool ClusterMap::othersHave(const std::string& alias) const {
    const MutexLock lock(mutex_);
    return state_.othersHave(alias);
}

std::optional<KnownTable> ClusterMap::table(uint64_t id) const {
    const MutexLock lock(mutex_);
    return state_.table(id);
}

bool ClusterMap::isUnchanged(uint64_t table, const MetaCondition& entry) const {
    const std::optional<KnownTable> known = this->table(table);
    return known && known->entry.key == entry.key && known->entry.revision == entry.revision;
}

std::map<uint64_t, uint64_t> ClusterMap::dropped() const {
    const MutexLock lock(mutex_);
    return state_.dropped();
}

std::optional<MetaEntry> ClusterMap::entry(const std::string& key) const {
    const MutexLock lock(mutex_);
    return state_.entry(key);
}

MetaRead ClusterMap::entries(const std::string& prefix, size_t limit) const {
    const MutexLock lock(mutex_);
    return {state_.revision(), state_.entries(prefix, limit)};
}

std::map<std::string, TransactionRecord> ClusterMap::records() const {
    const MutexLock lock(mutex_);
    return state_.records();
}

}  // namespace pelorus
