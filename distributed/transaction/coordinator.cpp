#include "distributed/transaction/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/transaction/chunk_message.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/sync_states.h"
#include "runtime/serialize/received.h"

namespace pelorus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kPrepareWithin = std::chrono::seconds(10);
constexpr int64_t kBytesPerSecond = 10 << 20;  // that a node takes at least
constexpr auto kRetryEvery = std::chrono::milliseconds(100);
constexpr auto kMapPatience = std::chrono::seconds(5);

PrepareAnswer prepareAnswerOf(const Value& answer) {
    const int64_t number = received::integer(answer, "answer to a transaction");
    received::require(number >= 0 && number <= static_cast<int64_t>(PrepareAnswer::NotInSync),
                      "answer to a transaction");
    return static_cast<PrepareAnswer>(number);
}

class OpenTransaction {
public:
    OpenTransaction(Participant& participant, const std::string& name) : participant_(participant), name_(name) {
        participant_.beginTransaction(name_);
    }
    ~OpenTransaction() { participant_.endTransaction(name_); }
    OpenTransaction(const OpenTransaction&) = delete;
    OpenTransaction& operator=(const OpenTransaction&) = delete;

private:
    Participant& participant_;
    const std::string name_;
};

std::chrono::milliseconds prepareLimit(const std::vector<ChunkRows>& chunks) {
    int64_t bytes = 0;
    for (const ChunkRows& chunk : chunks) bytes += chunk.rows->rowCount() * 8 * chunk.rows->columnCount();
    return kPrepareWithin + std::chrono::seconds(bytes / kBytesPerSecond);
}

}  // namespace

Coordinator::Coordinator(Cluster& cluster, Participant& local, SyncStates& syncStates)
    : cluster_(cluster), local_(local), syncStates_(syncStates), decider_(cluster.store()) {}

bool Coordinator::store(const std::vector<ChunkRows>& chunks, const Replicas& replicas) {
    CHECK(chunks.size() == replicas.size()) << "each chunk has replicas";
    if (chunks.empty()) return true;
    const std::string& self = cluster_.self().alias;
    const bool isOwn =
        std::all_of(replicas.begin(), replicas.end(), [&](const auto& of) { return of.size() == 1 && of[0] == self; });
    if (isOwn) return local_.append(chunks);
    const auto deadline = Clock::now() + kPatience;
    for (;;) {
        switch (attempt(chunks, replicas)) {
            case Attempt::Outcome::Done:
                return true;
            case Attempt::Outcome::StaleRoute:
                return false;
            default:
                break;
        }
        if (Clock::now() >= deadline) {
            throw SystemError("Nodes of the cluster come and go all the time; nothing was written.", "Try again.",
                              true);
        }
        std::this_thread::sleep_for(kRetryEvery);
        awaitNewest();
    }
}

void Coordinator::awaitNewest() {
    local_.map().await(local_.map().currentRevision(), kMapPatience);
}

Attempt::Outcome Coordinator::attempt(const std::vector<ChunkRows>& chunks, const Replicas& replicas) {
    const std::string& incarnation = cluster_.incarnation();
    Attempt attempt(fmt::format("{}/{:012x}", incarnation, ++lastTransaction_), replicas, local_.map().config(),
                    incarnation);
    const OpenTransaction open(local_, attempt.name());
    try {
        prepare(attempt, chunks, replicas);
    } catch (...) {
        forget(attempt);
        throw;
    }
    const auto deadline = Clock::now() + kPatience;
    for (;;) {
        const Attempt::Step step = attempt.next(local_.map().config());
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
                    decide(attempt);
                    break;
                case Attempt::Kind::Abort:
                    abort(attempt);
                    break;
                case Attempt::Kind::End:
                    break;
            }
        } catch (const SystemError&) {
            // The metadata store does not answer. What was sent for decision may still be carried out, so the same is
            // sent again until there is an answer.
            if (Clock::now() >= deadline || !attempt.isSent()) {
                attempt.giveUp();
                break;
            }
            std::this_thread::sleep_for(kRetryEvery);
        }
    }
    if (!attempt.isSent()) forget(attempt);
    switch (attempt.outcome()) {
        case Attempt::Outcome::Refused:
            throw SystemError((attempt.whyLost().empty() ? "The metadata store does not answer." : attempt.whyLost()) +
                                  " Nothing was written.",
                              "Try again.", true);
        case Attempt::Outcome::Fenced:
            throw SystemError("This node was taken for dead by the cluster; nothing was written.", "Restart it.", true);
        case Attempt::Outcome::Unknown:
            throw SystemError("Whether the rows were stored is unknown: the metadata store did not answer.",
                              "Look before you write them again.");
        default:
            return attempt.outcome();
    }
}

// All nodes at once: appends share their chunks, so that none waits for another one's.
void Coordinator::prepare(Attempt& attempt, const std::vector<ChunkRows>& chunks, const Replicas& replicas) {
    const std::vector<std::string> nodes(attempt.asked().begin(), attempt.asked().end());
    const uint64_t revision = attempt.config().revision;
    Mutex mutex;  // guards attempt
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        std::vector<ChunkRows> own;
        for (size_t c = 0; c < chunks.size(); ++c) {
            if (std::find(replicas[c].begin(), replicas[c].end(), nodes[i]) != replicas[c].end())
                own.push_back(chunks[c]);
        }
        if (nodes[i] == cluster_.self().alias) {
            const PrepareAnswer answer = local_.prepare(attempt.name(), nodes, revision, std::move(own));
            const MutexLock lock(mutex);
            attempt.answered(nodes[i], answer);
            return;
        }
        const auto limit = prepareLimit(own);
        const std::vector<Value> arguments{Value::ofString(attempt.name()), Value::of(Vector::ofStrings(nodes)),
                                           Value::ofLong(static_cast<int64_t>(revision)), chunksToValue(own)};
        for (int tries = 0;; ++tries) {
            try {
                const Value answer = cluster_.call(nodes[i], systemRequest(), "nodePrepare", arguments,
                                                   {.limit = limit, .endsInSilence = true, .abandon = &abandon});
                const MutexLock lock(mutex);
                attempt.answered(nodes[i], prepareAnswerOf(answer));
                return;
            } catch (const NodeLost& error) {
                // A connection may have ended with the process before: one that was not reached is asked once more.
                const bool isReached = dynamic_cast<const NodeNotReached*>(&error) == nullptr;
                if (isReached || tries > 0) {
                    const MutexLock lock(mutex);
                    attempt.lost(nodes[i], error.what());
                    return;
                }
                std::this_thread::sleep_for(kRetryEvery);
            }
        }
    });
}

// Nothing was sent for decision, so the nodes need no record.
void Coordinator::forget(const Attempt& attempt) {
    const std::vector<std::string> nodes(attempt.asked().begin(), attempt.asked().end());
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>&) {
        try {
            if (nodes[i] == cluster_.self().alias) return local_.forget(attempt.name());
            if (!cluster_.isAlive(nodes[i]) || cluster_.isSilent(nodes[i])) return;
            const std::vector<Value> arguments{Value::ofString(attempt.name())};
            cluster_.call(nodes[i], systemRequest(), "nodeForget", arguments,
                          {.limit = kPrepareWithin, .endsInSilence = true});
        } catch (const Error&) {
            // It asks whether the transaction is open.
        }
    });
}

void Coordinator::decide(Attempt& attempt) {
    switch (decider_.decide(attempt.record(true), attempt.config().revision)) {
        case Decider::Decision::Committed:
            return attempt.ended(true);
        case Decider::Decision::Aborted:
            return attempt.ended(false);
        case Decider::Decision::Refused:
            return attempt.refused();
    }
}

void Coordinator::abort(Attempt& attempt) {
    const std::string key = decisionKey(attempt.name());
    if (cluster_.store().transact({{key, 0}}, {{key, attempt.record(false).encode(), 0}}).done)
        return attempt.ended(false);
    const auto there = cluster_.store().get(key);
    const auto record = there ? TransactionRecord::decode(attempt.name(), there->value, there->revision) : std::nullopt;
    attempt.ended(record && record->commit);
}

}  // namespace pelorus
