#include "distributed/transaction/coordinator.h"

#include <chrono>
#include <thread>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/transaction/chunk_message.h"
#include "distributed/transaction/participant.h"

namespace pelorus {
namespace {

constexpr int kDecisionAttempts = 20;
constexpr auto kAppendPatience = std::chrono::seconds(30);

}  // namespace

// "<incarnation>/<number>": no other transaction has or had it.
std::string Coordinator::nextName() {
    return cluster_.incarnation() + '/' + std::to_string(++lastTransaction_);
}

bool Coordinator::store(const std::vector<ChunkRows>& chunks, const std::vector<std::string>& nodes) {
    CHECK(chunks.size() == nodes.size()) << "each chunk has a node";
    Parts parts;
    for (size_t i = 0; i < chunks.size(); ++i) parts[nodes[i]].push_back(chunks[i]);
    if (parts.empty()) return true;
    if (parts.size() == 1) return append(parts.begin()->first, std::move(parts.begin()->second));

    const std::string transaction = nextName();
    std::vector<std::string> prepared;
    uint64_t at = 0;
    try {
        // One node after the other, in the order of their names: a prepare holds its chunks until the decision, and two
        // transactions that take chunks in different orders would wait for each other.
        for (auto& [node, part] : parts) {
            prepared.push_back(node);
            const uint64_t number = prepare(node, transaction, std::move(part));
            if (number == 0) {
                abort(prepared, transaction);
                return false;
            }
            at = std::max(at, number);
            CHECK(at >= number) << "a transaction is decided after each of its prepares";
        }
    } catch (...) {
        abort(prepared, transaction);
        throw;
    }
    CHECK(prepared.size() == parts.size() && at != 0) << "a transaction is decided when all its nodes have prepared";
    if (!writeDecision(transaction, at)) {
        abort(prepared, transaction);
        throw SystemError("The transaction was aborted because it took too long to prepare.", "Try again.", true);
    }
    // From here on it is committed. A node that cannot be told reads the record.
    if (tellAll(prepared, transaction, true, at)) {
        try {
            cluster_.store().transact({}, {{decisionKey(transaction), std::nullopt, 0}});
        } catch (const Error&) {
            // The record stays; nobody asks for it any more.
        }
    }
    return true;
}

// A connection that breaks leaves open whether the rows were stored: the same append is sent again, by its name, as
// long as the node lives. Once it may have begun there, nothing but its answer ends that: an error of a later attempt
// tells nothing about the first.
bool Coordinator::append(const std::string& node, std::vector<ChunkRows> chunks) {
    if (node == cluster_.self().alias) return local_.append(std::move(chunks), "").has_value();
    const std::vector<Value> arguments{chunksToValue(chunks), Value::ofString(nextName())};
    const auto deadline = std::chrono::steady_clock::now() + kAppendPatience;
    const auto isWorthATry = [&] { return cluster_.isAlive(node) && std::chrono::steady_clock::now() < deadline; };
    for (bool mayBeStored = false;;) {
        std::string why;
        try {
            return cluster_.call(node, systemRequest(), "nodeAppend", arguments).integer() != 0;
        } catch (const NodeNotReached& error) {
            if (!mayBeStored && !isWorthATry()) throw;
            why = error.what();
        } catch (const SystemError& error) {
            mayBeStored = true;
            why = error.what();
        } catch (const UserError& error) {
            if (!mayBeStored) throw;
            why = error.what();
        }
        if (mayBeStored && !isWorthATry()) {
            throw SystemError(why,
                              "The answer to the append was lost: whether the rows are there is unknown. Look before "
                              "you write them again.");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

uint64_t Coordinator::prepare(const std::string& node, const std::string& transaction, std::vector<ChunkRows> chunks) {
    if (node == cluster_.self().alias) return local_.prepare(transaction, std::move(chunks)).value_or(0);
    const std::vector<Value> arguments{Value::ofString(transaction), chunksToValue(chunks)};
    return static_cast<uint64_t>(cluster_.call(node, systemRequest(), "nodePrepare", arguments).integer());
}

// False when the node could not be told.
bool Coordinator::decideOn(const std::string& node, const std::string& transaction, bool commit, uint64_t at) {
    try {
        if (node == cluster_.self().alias) {
            local_.storage().decide(transaction, commit, at);
        } else {
            const std::vector<Value> arguments{Value::ofString(transaction), Value::ofBool(commit),
                                               Value::ofLong(static_cast<int64_t>(at))};
            cluster_.call(node, systemRequest(), "nodeDecide", arguments);
        }
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool Coordinator::tellAll(const std::vector<std::string>& nodes, const std::string& transaction, bool commit,
                          uint64_t at) {
    std::atomic<bool> all{true};
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>&) {
        if (!decideOn(nodes[i], transaction, commit, at)) all = false;
    });
    return all;
}

void Coordinator::abort(const std::vector<std::string>& nodes, const std::string& transaction) {
    // The record comes first, and always: a prepare whose answer was lost may still be on its way.
    try {
        cluster_.store().transact({{decisionKey(transaction), 0}}, {{decisionKey(transaction), kAbortRecord, 0}});
    } catch (const Error&) {
        // A node that cannot be told below finds out when this process has ended.
    }
    tellAll(nodes, transaction, false, 0);
}

// True when the transaction is decided as committed, false when someone else aborted it before.
bool Coordinator::writeDecision(const std::string& transaction, uint64_t at) {
    const std::string key = decisionKey(transaction);
    for (int attempt = 0; attempt < kDecisionAttempts; ++attempt) {
        try {
            // A failed attempt may have been carried out: then the record that is there is ours.
            if (const auto record = cluster_.store().get(key)) return record->value == commitRecord(at);
            if (cluster_.store().transact({{key, 0}}, {{key, commitRecord(at), 0}}).done) return true;
        } catch (const SystemError&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(250));
        }
    }
    throw SystemError("The metadata store does not answer, so the outcome of the transaction " + transaction +
                          " is unknown: its rows become visible, or not, together when the store is back.",
                      "Look whether the rows are there before you write them again.");
}

}  // namespace pelorus
