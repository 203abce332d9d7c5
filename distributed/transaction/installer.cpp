#include "distributed/transaction/installer.h"

#include <algorithm>

#include "common/error.h"
#include "distributed/metadata/cluster_state.h"
#include "distributed/transaction/attempt.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/folder/local_storage.h"
#include "storage/log/stamp.h"
#include "storage/log/wal_writer.h"
#include "storage/version/version_set.h"

namespace pelorus {

static constexpr auto kDoubtAfter = std::chrono::seconds(2);

Installer::Installer(LocalStorage& storage, std::string incarnation)
    : storage_(storage), incarnation_(std::move(incarnation)), alias_(aliasOf(incarnation_)) {}

CommitResult Installer::mayPrepare(const ClusterConfig& config, uint64_t senderRevision, bool onlyAlone) const {
    const NodeConfig* own = config.find(alias_);
    if (own == nullptr || own->incarnation != incarnation_) return CommitResult::NotInSync;
    if (own->since > senderRevision) return CommitResult::OldConfig;
    if (own->state == NodeState::Out && !onlyAlone) return CommitResult::NotInSync;
    return CommitResult::Done;
}

void Installer::install(const ClusterMoment& moment) {
    std::vector<PreparedCommits::Decision> decisions;
    for (const TransactionRecord& record : moment.ended) {
        if (!storage_.prepared().isPrepared(record.transaction)) continue;
        decisions.push_back({record.transaction, record.commit,
                             record.commit ? stamp::ofDecision(record.revision, moment.base, record.place) : 0});
    }
    if (!decisions.empty()) storage_.prepared().applyDecisions(decisions);
    storage_.log().numberFrom(stamp::firstOwnAfter(moment.revision, moment.base));
    const MutexLock lock(mutex_);
    if (!unconfirmed_.empty() && decisions.empty()) {
        unconfirmed_.back().revision = moment.revision;
    } else {
        unconfirmed_.push_back({moment.revision, decisions.empty() ? 0 : storage_.versions().visible()});
    }
}

std::vector<PreparedCommits::OpenTransaction> Installer::doubts(
    Time now, const std::map<std::string, TransactionRecord>& records) {
    std::map<std::string, Time> waiting;
    std::vector<PreparedCommits::OpenTransaction> doubtful;
    for (auto& open : storage_.prepared().openTransactions()) {
        const auto known = waitingSince_.find(open.name);
        const Time since = known == waitingSince_.end() ? now : known->second;
        waiting[open.name] = since;
        if (now - since < kDoubtAfter) continue;
        const auto record = records.find(open.name);
        if (record == records.end()) {
            doubtful.push_back(std::move(open));
        } else if (!record->second.commit) {
            // The node prepared it after the abort was installed. A record of a commit is being installed.
            storage_.prepared().applyDecisions({{open.name, false, 0}});
        }
    }
    waitingSince_ = std::move(waiting);
    return doubtful;
}

TransactionRecord Installer::abortOf(const PreparedCommits::OpenTransaction& transaction) {
    return {transaction.name, false, 0, transaction.participants, 0};
}

void Installer::confirm() {
    uint64_t last = 0;
    {
        const MutexLock lock(mutex_);
        if (unconfirmed_.empty()) return;
        last = unconfirmed_.back().number;
    }
    if (storage_.log().syncedNumber() < last) storage_.log().sync();
    const uint64_t synced = storage_.log().syncedNumber();
    const MutexLock lock(mutex_);
    while (!unconfirmed_.empty() && unconfirmed_.front().number <= synced) {
        confirmed_ = unconfirmed_.front().revision;
        unconfirmed_.pop_front();
    }
}

uint64_t Installer::confirmedRevision(const ClusterConfig& config) const {
    const NodeConfig* own = config.find(alias_);
    if (own != nullptr && own->isLost) return 0;
    const MutexLock lock(mutex_);
    return confirmed_;
}

std::vector<std::string> Installer::toPurge(const std::map<std::string, TransactionRecord>& records,
                                            const ClusterConfig& config,
                                            const std::map<std::string, uint64_t>& confirmedBy,
                                            const std::set<std::string>& open, size_t most) const {
    std::vector<std::string> names;
    for (const auto& [name, record] : records) {
        if (names.size() >= most) break;
        const std::string coordinator = incarnationOf(name);
        if (coordinator != incarnation_) {
            const NodeConfig* node = config.find(aliasOf(coordinator));
            const bool isFenced = node == nullptr || node->incarnation != coordinator;
            if (!isFenced || aliasOf(coordinator) != alias_) continue;
        }
        if (open.count(name) != 0) continue;
        const bool isConfirmed =
            std::all_of(record.participants.begin(), record.participants.end(), [&](const std::string& alias) {
                const auto known = confirmedBy.find(alias);
                return known != confirmedBy.end() && known->second >= record.revision;
            });
        if (isConfirmed) names.push_back(name);
    }
    return names;
}

void Installer::keepFrom(uint64_t revision) {
    const MutexLock lock(mutex_);
    firstKept_ = revision;
}

uint64_t Installer::firstKept() const {
    const MutexLock lock(mutex_);
    return firstKept_;
}

std::unique_ptr<VersionSet::Pin> Installer::pinAt(uint64_t revision, uint64_t base) const {
    VersionSet& versions = storage_.versions();
    const uint64_t bound = stamp::lastSeenAt(revision, base);
    auto pin = std::make_unique<VersionSet::Pin>(versions, 0);
    if (pin->number() > bound) pin = std::make_unique<VersionSet::Pin>(versions, bound);
    if (revision < firstKept() || !versions.keeps(pin->number())) {
        throw SystemError("The revision " + std::to_string(revision) + " of the cluster is no longer kept.",
                          "Run the query again.", true);
    }
    return pin;
}

}  // namespace pelorus
