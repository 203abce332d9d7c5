#include "distributed/metadata/cluster_state.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/check.h"
#include "common/log.h"
#include "storage/catalog/catalog.h"
#include "storage/log/stamp.h"

namespace pelorus {

ClusterState::ClusterState() : base_(stamp::kFirstBase), config_(std::make_shared<const ClusterConfig>()) {}

bool ClusterState::keepsKeys(const std::string& prefix) {
    return !prefix.starts_with(kPlacePrefix) && !prefix.starts_with(kDecisionPrefix) && !prefix.empty();
}

void ClusterState::applyPlace(const MetaChange& change) {
    const size_t begin = std::string_view(kPlacePrefix).size(), end = change.key.find('\n');
    if (end == std::string::npos) return;
    const std::string database = change.key.substr(begin, end - begin);
    Places& places = places_[database];
    std::string path = change.key.substr(end + 1);
    places.list.reset();
    unsettled_.erase({database, path});
    if (!change.value) {
        places.byPath.erase(path);
        return;
    }
    PlacedChunk place = decodePlace(path, *change.value, change.revision);
    if (const auto known = places.byPath.find(path); known != places.byPath.end()) {
        place.since = known->second.since;
        for (const std::string& alias : place.replicas) {
            if (!known->second.isReplica(alias)) place.since[alias] = change.revision;
        }
    }
    if (!place.learners.empty() || !place.left.empty()) unsettled_.insert({database, path});
    places.byPath[path] = std::move(place);
}

void ClusterState::applyTable(const MetaChange& change) {
    if (change.value) {
        const TableEntry table = tableEntryOf({change.key, *change.value, change.revision});
        tables_[table.id] = {table.database, {change.key, change.revision}};
    } else {
        // A renamed table has its new key already, or gets it at this revision.
        std::erase_if(tables_, [&](const auto& known) { return known.second.entry.key == change.key; });
    }
}

void ClusterState::applyOne(const MetaChange& change, std::vector<TransactionRecord>& ended) {
    if (keepsKeys(change.key)) {
        if (change.value) {
            keys_[change.key] = {change.key, *change.value, change.revision};
        } else {
            keys_.erase(change.key);
        }
    }
    if (change.key == kConfigKey && change.value) {
        config_ =
            std::make_shared<const ClusterConfig>(ClusterConfig::decode({change.key, *change.value, change.revision}));
    } else if (change.key == kBaseKey && change.value) {
        base_ = std::stoull(*change.value);
    } else if (change.key.starts_with(kPlacePrefix)) {
        applyPlace(change);
    } else if (change.key.starts_with(catalog_keys::kTables)) {
        applyTable(change);
    } else if (change.key.starts_with(catalog_keys::kTombstones)) {
        const uint64_t table = std::stoull(change.key.substr(std::string_view(catalog_keys::kTombstones).size()));
        if (change.value) {
            dropped_[table] = change.revision;
        } else {
            dropped_.erase(table);
        }
    } else if (change.key.starts_with(kDecisionPrefix)) {
        const std::string transaction = change.key.substr(std::string_view(kDecisionPrefix).size());
        if (!change.value) {
            records_.erase(transaction);
        } else if (auto record = TransactionRecord::decode(transaction, *change.value, change.revision)) {
            records_[transaction] = *record;
            ended.push_back(std::move(*record));
        }
    }
}

std::vector<ClusterMoment> ClusterState::read(const MetaRead& read) {
    const uint64_t known = revision_;
    *this = ClusterState();
    std::vector<TransactionRecord> ended;
    // The revision is that of the clock's key, which readers ask for, not the store's, which the ends of leases
    // advance.
    for (const MetaEntry& entry : read.entries) {
        if (entry.key == kClockKey) revision_ = entry.revision;
        applyOne({entry.key, entry.value, entry.revision}, ended);
    }
    std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) {
        return std::pair(a.revision, a.place) < std::pair(b.revision, b.place);
    });
    std::vector<ClusterMoment> moments;
    for (TransactionRecord& record : ended) {
        if (moments.empty() || moments.back().revision != record.revision)
            moments.push_back({record.revision, base_, {}});
        moments.back().ended.push_back(std::move(record));
    }
    if (moments.empty() || moments.back().revision != revision_) moments.push_back({revision_, base_, {}});
    revision_ = std::max(revision_, known);
    return moments;
}

std::optional<ClusterMoment> ClusterState::apply(const std::vector<MetaChange>& changes) {
    CHECK(!changes.empty()) << "a revision changes something";
    const uint64_t revision = changes.front().revision;
    if (revision <= revision_) return std::nullopt;
    ClusterMoment moment{revision, 0, {}};
    bool isMoment = false;
    for (const MetaChange& change : changes) {
        isMoment |= change.key == kClockKey;
        try {
            applyOne(change, moment.ended);
        } catch (const std::exception& error) {
            logWarning("cluster", "a key of the metadata store does not read",
                       {{"key", change.key}, {"error", error.what()}});
        }
    }
    if (!isMoment) return std::nullopt;
    revision_ = revision;
    moment.base = base_;
    std::sort(moment.ended.begin(), moment.ended.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    return moment;
}

PlacedChunks ClusterState::chunks(const std::string& database) {
    static const PlacedChunks none = std::make_shared<const std::vector<PlacedChunk>>();
    const auto it = places_.find(database);
    if (it == places_.end()) return none;
    if (!it->second.list) {
        std::vector<PlacedChunk> list;
        for (const auto& [path, chunk] : it->second.byPath) list.push_back(chunk);
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
        it->second.list = std::make_shared<const std::vector<PlacedChunk>>(std::move(list));
    }
    return it->second.list;
}

std::optional<PlacedChunk> ClusterState::chunk(const std::string& database, const std::string& path) const {
    const auto it = places_.find(database);
    if (it == places_.end()) return std::nullopt;
    const auto found = it->second.byPath.find(path);
    return found == it->second.byPath.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> ClusterState::firstNotKept(const std::string& alias, uint64_t revision, uint64_t table,
                                                      const std::vector<std::string>& paths) const {
    const auto known = tables_.find(table);
    const auto places = known == tables_.end() ? places_.end() : places_.find(known->second.database);
    if (places == places_.end()) return std::nullopt;
    for (const std::string& path : paths) {
        const auto found = places->second.byPath.find(path);
        if (found == places->second.byPath.end()) continue;
        const PlacedChunk& place = found->second;
        const auto since = place.since.find(alias);
        const bool cameLater = since != place.since.end() && since->second > revision;
        if (cameLater || (place.revision <= revision && !place.isReplica(alias))) return path;
    }
    return std::nullopt;
}

std::vector<std::pair<std::string, PlacedChunk>> ClusterState::unsettled() const {
    std::vector<std::pair<std::string, PlacedChunk>> found;
    for (const auto& [database, path] : unsettled_) found.emplace_back(database, places_.at(database).byPath.at(path));
    return found;
}

bool ClusterState::othersHave(const std::string& alias) const {
    bool isShared = false;
    for (const auto& [database, places] : places_) {
        for (const auto& [path, chunk] : places.byPath) {
            const std::vector<std::string>& of = chunk.replicas;
            if (of.size() == 1 || std::find(of.begin(), of.end(), alias) == of.end()) continue;
            if (std::none_of(of.begin(), of.end(), [&](const auto& o) { return o != alias && config_->isIn(o); }))
                return false;
            isShared = true;
        }
    }
    return isShared;
}

std::optional<KnownTable> ClusterState::table(uint64_t id) const {
    const auto it = tables_.find(id);
    return it == tables_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<uint64_t> ClusterState::tablesOf(const std::string& database) const {
    std::vector<uint64_t> found;
    for (const auto& [id, table] : tables_) {
        if (table.database == database) found.push_back(id);
    }
    return found;
}

std::optional<MetaEntry> ClusterState::entry(const std::string& key) const {
    const auto it = keys_.find(key);
    return it == keys_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<MetaEntry> ClusterState::entries(const std::string& prefix, size_t limit) const {
    std::vector<MetaEntry> found;
    for (auto it = keys_.lower_bound(prefix); it != keys_.end() && it->first.starts_with(prefix); ++it) {
        found.push_back(it->second);
        if (found.size() == limit) break;
    }
    return found;
}

}  // namespace pelorus
