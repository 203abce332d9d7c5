#include "distributed/metadata/cluster_map.h"

#include <algorithm>
#include <sstream>

#include "common/check.h"
#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "storage/log/stamp.h"

namespace pelorus {
namespace {

const std::string kChunkPrefix = "chunk/", kPlacePrefix = "place/", kDecisionPrefix = "txn/";
constexpr auto kRetryEvery = std::chrono::milliseconds(200);

std::vector<std::string> splitNames(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream stream(text);
    for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
    return names;
}

std::string joinNames(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

PlacedChunk decodeChunk(std::string path, const std::string& record, uint64_t revision) {
    PlacedChunk chunk{std::move(path), {}, replicasOfRecord(record), revision};
    const size_t end = record.find('\n');
    for (const std::string& number : splitNames(end == std::string::npos ? "" : record.substr(end + 1)))
        chunk.index.push_back(std::stoi(number));
    return chunk;
}

}  // namespace

std::string chunkKey(uint64_t table, const std::string& path) {
    return kChunkPrefix + std::to_string(table) + '/' + path;
}
std::string chunkListKey(uint64_t table) {
    return "chunks/" + std::to_string(table);
}
std::string placeKey(const std::string& database, const std::string& path) {
    return kPlacePrefix + database + '\n' + path;
}
std::string decisionKey(const std::string& transaction) {
    return kDecisionPrefix + transaction;
}

// "a,b\n0,3": names of nodes hold neither line ends nor commas.
std::string chunkRecord(const std::vector<std::string>& replicas, const std::vector<int>& index) {
    std::string text = joinNames(replicas) + '\n';
    for (size_t i = 0; i < index.size(); ++i) text += (i ? "," : "") + std::to_string(index[i]);
    return text;
}

std::vector<std::string> replicasOfRecord(const std::string& record) {
    return splitNames(record.substr(0, record.find('\n')));
}

// "commit 3 a,b"
std::string TransactionRecord::encode() const {
    return (commit ? "commit " : "abort ") + std::to_string(place) + ' ' + joinNames(participants);
}

std::optional<TransactionRecord> TransactionRecord::decode(std::string transaction, const std::string& value,
                                                           uint64_t revision) {
    std::istringstream stream(value);
    std::string word, names;
    TransactionRecord record{std::move(transaction), false, 0, {}, revision};
    if (!(stream >> word >> record.place >> names) || (word != "commit" && word != "abort")) return std::nullopt;
    record.commit = word == "commit";
    record.participants = splitNames(names);
    return record;
}

ClusterMap::ClusterMap(MetaStore& store, Install install)
    : store_(store), install_(std::move(install)), base_(stamp::kFirstBase) {
    readState();
    watch();
    thread_ = startThread([this] { run(); });
}

ClusterMap::~ClusterMap() {
    {
        const MutexLock lock(mutex_);
        stopping_ = true;
    }
    changed_.notifyAll();
    thread_.join();
    watch_.reset();
}

void ClusterMap::readState() {
    const MetaRead read = store_.range("");
    uint64_t revision = 0;
    for (const MetaEntry& entry : read.entries) {
        if (entry.key == kClockKey) revision = entry.revision;
    }
    std::vector<TransactionRecord> decided;
    uint64_t base = 0;
    {
        const MutexLock lock(mutex_);
        base_ = stamp::kFirstBase;
        config_ = std::make_shared<const ClusterConfig>();
        tables_.clear();
        places_.clear();
        records_.clear();
        for (const MetaEntry& entry : read.entries) applyOne({entry.key, entry.value, entry.revision}, decided);
        known_ = std::max(known_, revision);
        readAt_ = read.revision;
        base = base_;
    }
    // Of one revision after the other, as the watch tells them.
    std::sort(decided.begin(), decided.end(), [](const auto& a, const auto& b) {
        return std::pair(a.revision, a.place) < std::pair(b.revision, b.place);
    });
    for (size_t begin = 0; begin < decided.size();) {
        size_t end = begin;
        while (end < decided.size() && decided[end].revision == decided[begin].revision) ++end;
        installed(
            decided[begin].revision, base,
            {decided.begin() + static_cast<std::ptrdiff_t>(begin), decided.begin() + static_cast<std::ptrdiff_t>(end)});
        begin = end;
    }
    // Not the store's own revision, which the ends of leases advance too: readers ask for that of the clock.
    installed(revision, base, {});
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

void ClusterMap::applyOne(const MetaChange& change, std::vector<TransactionRecord>& decided) {
    if (change.key == kConfigKey && change.value) {
        config_ =
            std::make_shared<const ClusterConfig>(ClusterConfig::decode({change.key, *change.value, change.revision}));
    } else if (change.key == kBaseKey && change.value) {
        base_ = std::stoull(*change.value);
    } else if (change.key.starts_with(kChunkPrefix)) {
        const size_t slash = change.key.find('/', kChunkPrefix.size());
        if (slash == std::string::npos) return;
        TableChunks& table = tables_[std::stoull(change.key.substr(kChunkPrefix.size()))];
        const std::string path = change.key.substr(slash + 1);
        table.list.reset();
        if (change.value) {
            table.byPath[path] = decodeChunk(path, *change.value, change.revision);
        } else {
            table.byPath.erase(path);
        }
    } else if (change.key.starts_with(kPlacePrefix)) {
        const size_t end = change.key.find('\n');
        if (end == std::string::npos) return;
        auto& partitions = places_[change.key.substr(kPlacePrefix.size(), end - kPlacePrefix.size())];
        if (change.value) {
            partitions[change.key.substr(end + 1)] = replicasOfRecord(*change.value);
        } else {
            partitions.erase(change.key.substr(end + 1));
        }
    } else if (change.key.starts_with(kDecisionPrefix)) {
        const std::string transaction = change.key.substr(kDecisionPrefix.size());
        if (!change.value) {
            records_.erase(transaction);
        } else if (auto record = TransactionRecord::decode(transaction, *change.value, change.revision)) {
            records_[transaction] = *record;
            decided.push_back(std::move(*record));
        }
    }
}

// One revision. Those that no transaction of ours made, as when a lease ends, are no moment of the clock.
void ClusterMap::apply(const std::vector<MetaChange>& changes) {
    CHECK(!changes.empty()) << "a revision changes something";
    const uint64_t revision = changes.front().revision;
    std::vector<TransactionRecord> decided;
    uint64_t base = 0;
    bool isMoment = false;
    {
        const MutexLock lock(mutex_);
        if (revision <= known_) return;
        for (const MetaChange& change : changes) {
            isMoment |= change.key == kClockKey;
            try {
                applyOne(change, decided);
            } catch (const std::exception& error) {
                logWarning("cluster", "a key of the metadata store does not read",
                           {{"key", change.key}, {"error", error.what()}});
            }
        }
        if (!isMoment) return;
        known_ = revision;
        base = base_;
    }
    std::sort(decided.begin(), decided.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    installed(revision, base, decided);
}

void ClusterMap::installed(uint64_t revision, uint64_t base, const std::vector<TransactionRecord>& decided) {
    for (;;) {
        try {
            install_(revision, base, decided);
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
        installed_ = std::max(installed_, revision);
    }
    changed_.notifyAll();
}

uint64_t ClusterMap::currentRevision() {
    MutexLock lock(readMutex_);
    const uint64_t needed = readsBegun_ + 1;  // one that has begun before may have passed what the caller must see
    while (readsDone_ < needed) {
        if (reading_) {
            readChanged_.wait(lock);
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
        readChanged_.notifyAll();
    }
    if (readRevision_ == 0) throw SystemError(readError_, "Check that the metadata store runs.", true);
    return readRevision_;
}

uint64_t ClusterMap::installed() const {
    const MutexLock lock(mutex_);
    return installed_;
}

void ClusterMap::await(uint64_t revision, std::chrono::milliseconds patience) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (installed_ < revision) {
        if (stopping_ || std::chrono::steady_clock::now() >= deadline) {
            throw SystemError("This node has not heard of the newest changes of the cluster yet.", "Try again.", true);
        }
        changed_.waitUntil(lock, deadline);
    }
}

ClusterMap::View ClusterMap::view(uint64_t table) const {
    static const PlacedChunks none = std::make_shared<const std::vector<PlacedChunk>>();
    const MutexLock lock(mutex_);
    View view{known_, base_, config_, none};
    const auto it = tables_.find(table);
    if (it == tables_.end()) return view;
    if (!it->second.list) {
        std::vector<PlacedChunk> list;
        for (const auto& [path, chunk] : it->second.byPath) list.push_back(chunk);
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
        it->second.list = std::make_shared<const std::vector<PlacedChunk>>(std::move(list));
    }
    view.chunks = it->second.list;
    return view;
}

std::optional<PlacedChunk> ClusterMap::chunk(uint64_t table, const std::string& path) const {
    const MutexLock lock(mutex_);
    const auto it = tables_.find(table);
    if (it == tables_.end()) return std::nullopt;
    const auto found = it->second.byPath.find(path);
    return found == it->second.byPath.end() ? std::nullopt : std::optional(found->second);
}

std::map<std::string, std::vector<std::string>> ClusterMap::places(const std::string& database) const {
    const MutexLock lock(mutex_);
    const auto it = places_.find(database);
    return it == places_.end() ? std::map<std::string, std::vector<std::string>>() : it->second;
}

std::vector<TransactionRecord> ClusterMap::records() const {
    const MutexLock lock(mutex_);
    std::vector<TransactionRecord> records;
    for (const auto& [name, record] : records_) records.push_back(record);
    return records;
}

}  // namespace pelorus
