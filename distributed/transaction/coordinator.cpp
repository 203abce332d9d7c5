#include "distributed/transaction/coordinator.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/prepared_transactions.h"
#include "distributed/transaction/sync_states.h"
#include "runtime/serialize/received.h"

namespace pelorus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeout = std::chrono::seconds(30);
constexpr auto kWithoutContact = std::chrono::seconds(5);
constexpr auto kPrepareWithin = std::chrono::seconds(10);
constexpr int64_t kBytesPerSecond = 10 << 20;  // rate at which a node prepares rows at least
constexpr auto kRetryEvery = std::chrono::milliseconds(100);
constexpr auto kMapTimeout = std::chrono::seconds(5);

CommitResult prepareAnswerOf(const Value& answer) {
    const int64_t number = received::integer(answer, "answer to a transaction");
    received::require(number >= 0 && number <= static_cast<int64_t>(kLastSentResult), "answer to a transaction");
    return static_cast<CommitResult>(number);
}

class OpenTransaction {
public:
    OpenTransaction(Participant& participant, const std::string& name) : participant_(participant), name_(name) {
        participant_.transactions().begin(name_);
    }
    ~OpenTransaction() { participant_.transactions().end(name_); }
    OpenTransaction(const OpenTransaction&) = delete;
    OpenTransaction& operator=(const OpenTransaction&) = delete;

private:
    Participant& participant_;
    const std::string name_;
};

std::chrono::milliseconds prepareLimit(const PlacedBatch& batch) {
    int64_t bytes = 0;
    for (const ChunkRows& chunk : batch.chunks) bytes += chunk.rows->rowCount() * 8 * chunk.rows->columnCount();
    return kPrepareWithin + std::chrono::seconds(bytes / kBytesPerSecond);
}

}  // namespace

Coordinator::Coordinator(Cluster& cluster, Participant& local, SyncStates& syncStates)
    : cluster_(cluster), local_(local), syncStates_(syncStates), decider_(cluster.store()) {}

CommitResult Coordinator::append(const PlacedBatch& batch) {
    CHECK(batch.chunks.size() == batch.places.size()) << "each chunk has a place";
    if (batch.chunks.empty()) return CommitResult::Done;
    const std::string& self = cluster_.self().alias;
    const bool isOwn = std::all_of(batch.places.begin(), batch.places.end(), [&](const PlacedChunk& place) {
        return place.isAlone() && place.replicas[0] == self;
    });
    const auto deadline = Clock::now() + kTimeout;
    bool inOrder = batch.replacesRows();
    for (;;) {
        const CommitResult result = isOwn ? local_.transactions().commit(batch) : tryAppend(batch, inOrder);
        if (result != CommitResult::Busy && result != CommitResult::TryAgain) return result;
        inOrder = inOrder || result == CommitResult::Busy;
        if (Clock::now() >= deadline) {
            throw SystemError(
                "Nodes of the cluster come and go all the time, or another transaction does not end; "
                "nothing was written.",
                "Try again.", true);
        }
        std::this_thread::sleep_for(inOrder ? std::chrono::milliseconds(0) : kRetryEvery);
        awaitNewest();
        // If the places have changed, the caller reads them anew, together with the entries of the tables.
        if (placesChanged(batch)) return CommitResult::TableChanged;
    }
}

bool Coordinator::placesChanged(const PlacedBatch& batch) const {
    for (size_t i = 0; i < batch.chunks.size(); ++i) {
        const auto table = local_.map().table(batch.chunks[i].table);
        const auto place = table ? local_.map().chunk(table->database, batch.chunks[i].path) : std::nullopt;
        if (!place || place->revision != batch.places[i].revision) return true;
    }
    return false;
}

void Coordinator::awaitNewest() {
    local_.map().await(local_.map().currentRevision(), kMapTimeout);
}

// Throws SystemError for a partition that has several replicas and none in sync; it names their states.
void Coordinator::requireCopies(const PlacedBatch& batch, const ClusterConfig& config) const {
    for (size_t i = 0; i < batch.places.size(); ++i) {
        const std::vector<std::string>& of = batch.places[i].replicas;
        const auto isIn = [&](const std::string& alias) { return config.isIn(alias); };
        if (of.size() == 1 || std::any_of(of.begin(), of.end(), isIn)) continue;
        const auto table = local_.map().table(batch.chunks[i].table);
        std::vector<std::string> states;
        for (const std::string& alias : of) {
            const NodeConfig* node = config.find(alias);
            states.push_back(fmt::format("{} is {}{}", alias, node == nullptr ? "unknown" : nameOf(node->state),
                                         node != nullptr && node->isLost ? ", its disk was lost" : ""));
        }
        throw SystemError(
            fmt::format("No node that keeps the partition {} of {} is in sync: {}. Nothing was written.",
                        batch.places[i].path, table ? table->database : "a dropped database", fmt::join(states, ", ")),
            "Bring the one back that left last; the others complete themselves from it. When it is lost: "
            "docs/operations.md, \"Which copy counts\".",
            true);
    }
}

CommitResult Coordinator::tryAppend(const PlacedBatch& batch, bool inOrder) {
    const std::string& incarnation = cluster_.incarnation();
    Replicas replicas;
    std::set<std::string> learners;
    for (const PlacedChunk& place : batch.places) {
        replicas.push_back(place.replicas);
        for (const Learner& learner : place.learners) {
            if (learner.isJoining) learners.insert(learner.alias);
        }
    }
    requireCopies(batch, *local_.map().config());
    Attempt attempt(fmt::format("{}/{:012x}", incarnation, ++lastTransaction_), replicas, learners,
                    local_.map().config(), incarnation);
    const OpenTransaction open(local_, attempt.name());
    try {
        prepare(attempt, batch, inOrder);
    } catch (...) {
        forget(attempt);
        throw;
    }
    const auto deadline = Clock::now() + kTimeout, unknownAt = Clock::now() + kWithoutContact;
    for (;;) {
        // The order matters: the places are read after the configuration, so they are no older.
        const auto config = local_.map().config();
        const Attempt::Step step = attempt.next(config, !placesChanged(batch));
        if (step.kind == Attempt::Kind::End) break;
        try {
            switch (step.kind) {
                case Attempt::Kind::Wait:
                    awaitNewest();
                    break;
                case Attempt::Kind::WriteOut:
                    attempt.wroteOut(step.alias, syncStates_.writeOut(step.alias, attempt.whyLost()));
                    break;
                case Attempt::Kind::Decide:
                    decide(attempt, batch);
                    break;
                case Attempt::Kind::Abort:
                    abort(attempt);
                    break;
                case Attempt::Kind::End:
                    break;
            }
        } catch (const SystemError&) {
            // The metadata store does not answer. A decision that was sent may still be carried out, so the same one is
            // sent again until there is an answer; without contact the others settle it, and the client hears soon.
            const bool isOver = Clock::now() >= (local_.map().hasContact() ? deadline : unknownAt);
            if (isOver || !attempt.isSent()) {
                attempt.giveUp();
                break;
            }
            std::this_thread::sleep_for(kRetryEvery);
        }
    }
    if (attempt.mayForget()) forget(attempt);
    CHECK(attempt.result()) << "an attempt ends with a result";
    switch (*attempt.result()) {
        case CommitResult::Refused:
            throw SystemError((attempt.whyLost().empty() ? "The metadata store does not answer." : attempt.whyLost()) +
                                  " Nothing was written.",
                              "Try again.", true);
        case CommitResult::Fenced:
            throw SystemError("This node was taken for dead by the cluster; nothing was written.", "Restart it.", true);
        case CommitResult::Unknown:
            throw SystemError("Whether the rows were stored is unknown: the metadata store did not answer.",
                              "Look before you write them again.");
        default:
            return *attempt.result();
    }
}

void Coordinator::prepare(Attempt& attempt, const PlacedBatch& batch, bool inOrder) {
    std::vector<std::string> nodes(attempt.asked().begin(), attempt.asked().end());
    Mutex mutex;  // guards attempt
    if (!inOrder) {
        callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>& abandon) {
            prepareAt(nodes[i], attempt, batch, false, abandon, mutex);
        });
        return;
    }
    std::sort(nodes.begin(), nodes.end(), [&](const std::string& a, const std::string& b) {
        return attempt.config().find(a)->number < attempt.config().find(b)->number;
    });
    const std::atomic<bool> abandon = false;
    for (const std::string& alias : nodes) {
        prepareAt(alias, attempt, batch, true, abandon, mutex);
        if (attempt.isRefused()) return;
    }
}

void Coordinator::prepareAt(const std::string& alias, Attempt& attempt, const PlacedBatch& batch, bool inOrder,
                            const std::atomic<bool>& abandon, Mutex& mutex) {
    const std::vector<std::string> participants(attempt.asked().begin(), attempt.asked().end());
    const uint64_t revision = attempt.config().revision;
    std::vector<bool> isWanted;
    for (const PlacedChunk& place : batch.places) isWanted.push_back(place.prepares(alias));
    if (alias == cluster_.self().alias) {
        WriteBatch own = batch;
        own.chunks.clear();
        for (size_t c = 0; c < batch.chunks.size(); ++c) {
            if (isWanted[c]) own.chunks.push_back(batch.chunks[c]);
        }
        const CommitResult answer =
            local_.transactions().prepare(attempt.name(), participants, revision, std::move(own), inOrder);
        const MutexLock lock(mutex);
        attempt.answered(alias, answer);
        return;
    }
    const std::vector<Value> arguments{Value::ofString(attempt.name()), Value::of(Vector::ofStrings(participants)),
                                       Value::ofLong(static_cast<int64_t>(revision)), batchToValue(batch, isWanted),
                                       Value::ofBool(inOrder)};
    for (int tries = 0;; ++tries) {
        try {
            const Value answer =
                cluster_.call(alias, systemRequest(), "nodePrepare", arguments,
                              {.limit = prepareLimit(batch), .endsInSilence = true, .abandon = &abandon});
            const MutexLock lock(mutex);
            attempt.answered(alias, prepareAnswerOf(answer));
            return;
        } catch (const NodeLost& error) {
            // The process of the node may be restarting: one whose machine refuses the connection is asked once more.
            const bool isGone = dynamic_cast<const NodeGone*>(&error) != nullptr;
            if (!isGone || tries > 0) {
                const MutexLock lock(mutex);
                attempt.lost(alias, error.what());
                return;
            }
            std::this_thread::sleep_for(kRetryEvery);
        }
    }
}

// Lets the nodes forget an attempt that was never sent for decision, or is refused for good: they need no record.
void Coordinator::forget(const Attempt& attempt) {
    const std::vector<std::string> nodes(attempt.asked().begin(), attempt.asked().end());
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>&) {
        try {
            if (nodes[i] == cluster_.self().alias) return local_.transactions().forget(attempt.name());
            if (!cluster_.isAlive(nodes[i]) || cluster_.isSilent(nodes[i])) return;
            const std::vector<Value> arguments{Value::ofString(attempt.name())};
            cluster_.call(nodes[i], systemRequest(), "nodeForget", arguments,
                          {.limit = kPrepareWithin, .endsInSilence = true});
        } catch (const Error&) {
            // The node will ask whether the transaction is open.
        }
    });
}

void Coordinator::decide(Attempt& attempt, const PlacedBatch& batch) {
    attempt.decided(decider_.decide(attempt.record(true), attempt.config().revision, batch.conditions()));
}

void Coordinator::abort(Attempt& attempt) {
    const std::string key = decisionKey(attempt.name());
    if (cluster_.store().transact({{key, 0}}, {{key, attempt.record(false).encode(), 0}}).done)
        return attempt.decided(Decision::Aborted);
    const auto there = cluster_.store().get(key);
    const auto record = there ? TransactionRecord::decode(attempt.name(), there->value, there->revision) : std::nullopt;
    attempt.decided(record && record->commit ? Decision::Committed : Decision::Aborted);
}

}  // namespace pelorus
