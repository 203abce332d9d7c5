#include "distributed/metadata/cluster_state.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/check.h"
#include "common/log.h"
#include "storage/log/stamp.h"

namespace pelorus {

ClusterState::ClusterState() : base_(stamp::kFirstBase), config_(std::make_shared<const ClusterConfig>()) {}

void ClusterState::applyOne(const MetaChange& change, std::vector<TransactionRecord>& ended) {
    if (change.key == kConfigKey && change.value) {
        config_ =
            std::make_shared<const ClusterConfig>(ClusterConfig::decode({change.key, *change.value, change.revision}));
    } else if (change.key == kBaseKey && change.value) {
        base_ = std::stoull(*change.value);
    } else if (change.key.starts_with(kChunkPrefix)) {
        const size_t slash = change.key.find('/', std::string_view(kChunkPrefix).size());
        if (slash == std::string::npos) return;
        TableChunks& table = tables_[std::stoull(change.key.substr(std::string_view(kChunkPrefix).size()))];
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
        auto& partitions = places_[change.key.substr(std::string_view(kPlacePrefix).size(),
                                                     end - std::string_view(kPlacePrefix).size())];
        if (change.value) {
            partitions[change.key.substr(end + 1)] = replicasOfRecord(*change.value);
        } else {
            partitions.erase(change.key.substr(end + 1));
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
    // Not the store's own revision, which the ends of leases advance too: readers ask for that of the clock.
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

PlacedChunks ClusterState::chunks(uint64_t table) {
    static const PlacedChunks none = std::make_shared<const std::vector<PlacedChunk>>();
    const auto it = tables_.find(table);
    if (it == tables_.end()) return none;
    if (!it->second.list) {
        std::vector<PlacedChunk> list;
        for (const auto& [path, chunk] : it->second.byPath) list.push_back(chunk);
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
        it->second.list = std::make_shared<const std::vector<PlacedChunk>>(std::move(list));
    }
    return it->second.list;
}

std::optional<PlacedChunk> ClusterState::chunk(uint64_t table, const std::string& path) const {
    const auto it = tables_.find(table);
    if (it == tables_.end()) return std::nullopt;
    const auto found = it->second.byPath.find(path);
    return found == it->second.byPath.end() ? std::nullopt : std::optional(found->second);
}

bool ClusterState::othersHave(const std::string& alias) const {
    bool isShared = false;
    for (const auto& [id, table] : tables_) {
        for (const auto& [path, chunk] : table.byPath) {
            const std::vector<std::string>& of = chunk.replicas;
            if (of.size() == 1 || std::find(of.begin(), of.end(), alias) == of.end()) continue;
            if (std::none_of(of.begin(), of.end(), [&](const auto& o) { return o != alias && config_->isIn(o); }))
                return false;
            isShared = true;
        }
    }
    return isShared;
}

std::map<std::string, std::vector<std::string>> ClusterState::places(const std::string& database) const {
    const auto it = places_.find(database);
    return it == places_.end() ? std::map<std::string, std::vector<std::string>>() : it->second;
}

}  // namespace pelorus
