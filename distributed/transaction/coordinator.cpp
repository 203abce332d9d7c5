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

namespace pelorus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kPrepareWithin = std::chrono::seconds(10);
constexpr int64_t kBytesPerSecond = 10 << 20;  // that a node takes at least
constexpr auto kRetryEvery = std::chrono::milliseconds(100);
constexpr auto kMapPatience = std::chrono::seconds(5);

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

std::set<std::string> nodesToPrepare(const Replicas& replicas, const ClusterConfig& config) {
    std::set<std::string> nodes;
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

bool mayDecide(const Replicas& replicas, const std::set<std::string>& prepared, const ClusterConfig& before,
               const ClusterConfig& now) {
    for (const std::string& alias : nodesToPrepare(replicas, now)) {
        const NodeConfig* then = before.find(alias);
        const NodeConfig* node = now.find(alias);
        if (prepared.count(alias) == 0 || then == nullptr || node == nullptr || then->since != node->since)
            return false;
    }
    return true;
}

struct Coordinator::Attempt {
    std::string name;
    const std::vector<ChunkRows>& chunks;
    const Replicas& replicas;
    std::shared_ptr<const ClusterConfig> config;
    std::set<std::string> asked;     // to prepare
    std::set<std::string> prepared;  // of them
};

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
            case End::Done:
                return true;
            case End::StaleRoute:
                return false;
            case End::Again:
                break;
        }
        if (Clock::now() >= deadline) {
            throw SystemError("Nodes of the cluster come and go all the time; nothing was written.", "Try again.",
                              true);
        }
        std::this_thread::sleep_for(kRetryEvery);
    }
}

Coordinator::End Coordinator::attempt(const std::vector<ChunkRows>& chunks, const Replicas& replicas) {
    Attempt attempt{fmt::format("{}/{:012x}", cluster_.incarnation(), ++lastTransaction_),
                    chunks,
                    replicas,
                    local_.map().config(),
                    {},
                    {}};
    const NodeConfig* own = attempt.config->find(cluster_.self().alias);
    if (own == nullptr || own->incarnation != cluster_.incarnation()) {
        throw SystemError("This node was taken for dead by the cluster; nothing was written.", "Restart it.", true);
    }
    attempt.asked = nodesToPrepare(replicas, *attempt.config);
    const OpenTransaction open(local_, attempt.name);
    try {
        const End prepared = prepare(attempt);
        if (prepared != End::Done) {
            forget(attempt);
            return prepared;
        }
    } catch (...) {
        forget(attempt);
        throw;
    }
    return decide(attempt);
}

// All nodes at once: appends share their chunks, so that none waits for another one's.
Coordinator::End Coordinator::prepare(Attempt& attempt) {
    const std::vector<std::string> nodes(attempt.asked.begin(), attempt.asked.end());
    std::vector<Participant::Prepare> answers(nodes.size(), Participant::Prepare::NotInSync);
    std::vector<std::string> lost(nodes.size());  // why the node did not answer
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        std::vector<ChunkRows> own;
        for (size_t c = 0; c < attempt.chunks.size(); ++c) {
            const auto& of = attempt.replicas[c];
            if (std::find(of.begin(), of.end(), nodes[i]) != of.end()) own.push_back(attempt.chunks[c]);
        }
        if (nodes[i] == cluster_.self().alias) {
            answers[i] = local_.prepare(attempt.name, nodes, attempt.config->revision, std::move(own));
            return;
        }
        const auto limit = prepareLimit(own);
        const std::vector<Value> arguments{Value::ofString(attempt.name), Value::of(Vector::ofStrings(nodes)),
                                           Value::ofLong(static_cast<int64_t>(attempt.config->revision)),
                                           chunksToValue(own)};
        for (int tries = 0;; ++tries) {
            try {
                const Value answer = cluster_.call(nodes[i], systemRequest(), "nodePrepare", arguments,
                                                   {.limit = limit, .endsInSilence = true, .abandon = &abandon});
                answers[i] = static_cast<Participant::Prepare>(answer.integer());
                return;
            } catch (const NodeNotReached& error) {
                if (tries > 0) {
                    lost[i] = error.what();
                    return;
                }
                std::this_thread::sleep_for(kRetryEvery);
            } catch (const NodeLost& error) {
                lost[i] = error.what();
                return;
            }
        }
    });
    std::set<std::string> missing;
    std::string why;
    End end = End::Done;
    for (size_t i = 0; i < nodes.size(); ++i) {
        if (!lost[i].empty()) {
            missing.insert(nodes[i]);
            why = lost[i];
        } else if (answers[i] == Participant::Prepare::Done) {
            attempt.prepared.insert(nodes[i]);
        } else {
            end = answers[i] == Participant::Prepare::StaleRoute ? End::StaleRoute : End::Again;
        }
    }
    if (end == End::StaleRoute) return end;
    if (end == End::Again) {
        local_.map().await(local_.map().currentRevision(), kMapPatience);
        return end;
    }
    if (missing.empty()) return End::Done;
    if (!goesOnWithout(attempt, missing)) throw SystemError(why + " Nothing was written.", "Try again.", true);
    for (const std::string& alias : missing) {
        if (!syncStates_.writeOut(alias, why)) throw SystemError(why + " Nothing was written.", "Try again.", true);
    }
    const auto now = local_.map().config();
    if (!mayDecide(attempt.replicas, attempt.prepared, *attempt.config, *now)) return End::Again;
    attempt.config = now;
    return End::Done;
}

// Whether every partition has another node in sync that has prepared the rows.
bool Coordinator::goesOnWithout(Attempt& attempt, const std::set<std::string>& lost) {
    return std::all_of(attempt.replicas.begin(), attempt.replicas.end(), [&](const std::vector<std::string>& of) {
        const bool isTouched = std::any_of(of.begin(), of.end(), [&](const auto& a) { return lost.count(a) != 0; });
        return !isTouched || std::any_of(of.begin(), of.end(), [&](const std::string& alias) {
            return attempt.prepared.count(alias) != 0 && attempt.config->isIn(alias);
        });
    });
}

// Nothing was sent for decision, so the nodes need no record.
void Coordinator::forget(const Attempt& attempt) {
    const std::vector<std::string> nodes(attempt.asked.begin(), attempt.asked.end());
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>&) {
        try {
            if (nodes[i] == cluster_.self().alias) return local_.forget(attempt.name);
            if (!cluster_.isAlive(nodes[i]) || cluster_.isSilent(nodes[i])) return;
            const std::vector<Value> arguments{Value::ofString(attempt.name)};
            cluster_.call(nodes[i], systemRequest(), "nodeForget", arguments,
                          {.limit = kPrepareWithin, .endsInSilence = true});
        } catch (const Error&) {
            // It asks whether the transaction is open.
        }
    });
}

// Returns true when the transaction did not commit, and will not.
bool Coordinator::abort(const Attempt& attempt) {
    const std::string key = decisionKey(attempt.name);
    const TransactionRecord record{attempt.name, false, 0, {attempt.asked.begin(), attempt.asked.end()}, 0};
    if (cluster_.store().transact({{key, 0}}, {{key, record.encode(), 0}}).done) return true;
    const auto there = cluster_.store().get(key);
    const auto known = there ? TransactionRecord::decode(attempt.name, there->value, there->revision) : std::nullopt;
    return !known || !known->commit;
}

// From the first sending on only the record says how it ended. One whose answer is lost may still be carried out, so
// the same is sent again until there is an answer.
Coordinator::End Coordinator::decide(Attempt& attempt) {
    const std::string key = decisionKey(attempt.name);
    const TransactionRecord record{attempt.name, true, 0, {attempt.asked.begin(), attempt.asked.end()}, 0};
    const auto deadline = Clock::now() + kPatience;
    for (;;) {
        try {
            const MetaOutcome outcome = cluster_.store().transact({{key, 0}, {kConfigKey, attempt.config->revision}},
                                                                  {{key, record.encode(), 0}});
            if (outcome.done) return End::Done;
            const auto there = cluster_.store().get(key);
            if (there) {
                const auto known = TransactionRecord::decode(attempt.name, there->value, there->revision);
                return known && known->commit ? End::Done : End::Again;
            }
            local_.map().await(local_.map().currentRevision(), kMapPatience);
            const auto now = local_.map().config();
            const NodeConfig* own = now->find(cluster_.self().alias);
            const bool isFenced = own == nullptr || own->incarnation != cluster_.incarnation();
            bool goesOn = !isFenced;
            try {
                goesOn = goesOn && mayDecide(attempt.replicas, attempt.prepared, *attempt.config, *now);
            } catch (const SystemError&) {
                goesOn = false;  // no replica of a chunk is in sync any more
            }
            if (goesOn) {
                attempt.config = now;
                continue;
            }
            if (isFenced) break;
            return abort(attempt) ? End::Again : End::Done;
        } catch (const SystemError&) {
            if (Clock::now() >= deadline) break;
            std::this_thread::sleep_for(kRetryEvery);
        }
    }
    throw SystemError("Whether the rows were stored is unknown: the metadata store did not answer.",
                      "Look before you write them again.");
}

}  // namespace pelorus
