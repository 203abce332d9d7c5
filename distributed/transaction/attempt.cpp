#include "distributed/transaction/attempt.h"
#include "storage/commit/commit_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

std::set<std::string> nodesToPrepare(const Replicas& replicas, const std::set<std::string>& learners,
                                     const ClusterConfig& config) {
    std::set<std::string> nodes;
    for (const std::string& alias : learners) {
        const NodeConfig* node = config.find(alias);
        if (node != nullptr && node->state != NodeState::Out) nodes.insert(alias);
    }
    for (const std::vector<std::string>& of : replicas) {
        CHECK(!of.empty()) << "a chunk has a replica";
        if (of.size() == 1) {
            nodes.insert(of[0]);
            continue;
        }
        if (std::none_of(of.begin(), of.end(), [&](const std::string& alias) { return config.isIn(alias); })) {
            throw SystemError(fmt::format("No node that keeps a partition of these rows is in sync: {} are not. "
                                          "Nothing was written.",
                                          fmt::join(of, " and ")),
                              "Bring the one back that left last; the others complete themselves from it.", true);
        }
        for (const std::string& alias : of) {
            const NodeConfig* node = config.find(alias);
            if (node != nullptr && node->state != NodeState::Out) nodes.insert(alias);
        }
    }
    return nodes;
}

Attempt::Attempt(std::string name, Replicas replicas, std::set<std::string> learners,
                 std::shared_ptr<const ClusterConfig> config, std::string incarnation)
    : name_(std::move(name)),
      replicas_(std::move(replicas)),
      learners_(std::move(learners)),
      config_(std::move(config)),
      incarnation_(std::move(incarnation)),
      asked_(nodesToPrepare(replicas_, learners_, *config_)) {}

TransactionRecord Attempt::record(bool commit) const {
    return {name_, commit, 0, {asked_.begin(), asked_.end()}, 0};
}

void Attempt::answered(const std::string& alias, CommitResult answer) {
    CHECK(asked_.count(alias) != 0) << "only nodes that are asked answer";
    lost_.erase(alias);
    prepared_.erase(alias);
    switch (answer) {
        case CommitResult::Done:
            prepared_.insert(alias);
            return;
        case CommitResult::TableChanged:
            isTableChanged_ = true;
            return;
        case CommitResult::RowsChanged:
            areRowsChanged_ = true;
            return;
        case CommitResult::RowsMoved:
            areRowsMoved_ = true;
            return;
        case CommitResult::Busy:
            isBusy_ = true;
            return;
        case CommitResult::OldConfig:
        case CommitResult::NotInSync:
            isOld_ = true;
            return;
        case CommitResult::CutOff:
            lost(alias, "The node " + alias + " does not reach the metadata store.");
            return;
        case CommitResult::TryAgain:
        case CommitResult::Refused:
        case CommitResult::Fenced:
        case CommitResult::Unknown:
            break;
    }
    CHECK(false) << "a node answers with a result that is sent";
}

void Attempt::lost(const std::string& alias, const std::string& why) {
    if (prepared_.count(alias) != 0) return;
    lost_.insert(alias);
    whyLost_ = why;
}

void Attempt::wroteOut(const std::string& alias, bool done) {
    if (done) {
        lost_.erase(alias);
    } else {
        mayNotWriteOut_ = true;
    }
}

void Attempt::decided(Decision decision) {
    switch (decision) {
        case Decision::Committed:
            end(CommitResult::Done);
            return;
        case Decision::Aborted:
            end(CommitResult::TryAgain);
            return;
        case Decision::Refused:
            refusedAt_ = config_->revision;
            return;
        case Decision::TableChanged:
            end(CommitResult::TableChanged);
            return;
    }
}

void Attempt::giveUp() {
    end(isSent_ ? CommitResult::Unknown : CommitResult::Refused);
}

// Returns whether each chunk of the node has another replica in sync that has prepared the rows.
bool Attempt::othersPrepared(const std::string& alias) const {
    return std::all_of(replicas_.begin(), replicas_.end(), [&](const std::vector<std::string>& of) {
        if (std::find(of.begin(), of.end(), alias) == of.end()) return true;
        return std::any_of(of.begin(), of.end(), [&](const std::string& other) {
            return prepared_.count(other) != 0 && config_->isIn(other);
        });
    });
}

Attempt::Step Attempt::end(CommitResult result) {
    if (!result_) result_ = result;
    return {Kind::End, {}};
}

Attempt::Step Attempt::next(const std::shared_ptr<const ClusterConfig>& now, bool arePlacesSame) {
    if (result_) return {Kind::End, {}};
    const NodeConfig* own = now->find(aliasOf(incarnation_));
    if (own == nullptr || own->incarnation != incarnation_)
        return end(isSent_ ? CommitResult::Unknown : CommitResult::Fenced);
    if (!isSent_ && isTableChanged_) return end(CommitResult::TableChanged);
    if (!isSent_ && areRowsChanged_) return end(CommitResult::RowsChanged);
    if (!isSent_ && areRowsMoved_) return end(CommitResult::RowsMoved);
    if (!isSent_ && isOld_) return end(CommitResult::TryAgain);
    if (!isSent_ && isBusy_) return end(CommitResult::Busy);
    // The configuration that the store refused is known to be old.
    if (now->revision == refusedAt_) return {};
    // A node that has become a replica meanwhile has not prepared.
    if (!arePlacesSame) return isSent_ ? Step{Kind::Abort, {}} : end(CommitResult::TryAgain);
    std::set<std::string> needed;
    try {
        needed = nodesToPrepare(replicas_, learners_, *now);
    } catch (const SystemError&) {
        return isSent_ ? Step{Kind::Abort, {}}
                       : end(CommitResult::TryAgain);  // no replica of a chunk is in sync any more
    }
    bool areAllPrepared = true;
    for (const std::string& alias : needed) {
        const NodeConfig* then = config_->find(alias);
        const NodeConfig* node = now->find(alias);
        const bool isSame =
            asked_.count(alias) != 0 && then != nullptr && node != nullptr && then->since == node->since;
        if (!isSame) return isSent_ ? Step{Kind::Abort, {}} : end(CommitResult::TryAgain);
        if (prepared_.count(alias) != 0) continue;
        areAllPrepared = false;
        if (lost_.count(alias) == 0) continue;
        const bool isLast = prepared_.size() + lost_.size() == asked_.size();
        if (mayNotWriteOut_ || (isLast && !othersPrepared(alias))) return end(CommitResult::Refused);
        if (othersPrepared(alias)) return {Kind::WriteOut, alias};
    }
    if (!areAllPrepared) return {};
    config_ = now;
    isSent_ = true;
    return {Kind::Decide, {}};
}

}  // namespace pelorus
