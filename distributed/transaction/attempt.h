// The protocol of one attempt to store a transaction, as its coordinator sees it: which nodes have prepared it, and
// what comes next.
//
// It knows neither threads nor time. The caller carries out what `next` returns and reports the result; answers may
// arrive in any order.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "distributed/metadata/cluster_config.h"
#include "distributed/metadata/cluster_keys.h"
#include "storage/commit/commit_result.h"

namespace pelorus {

using Replicas = std::vector<std::vector<std::string>>;  // aliases, for each chunk

// Returns the nodes that must prepare rows of chunks with these replicas: the only replica of a chunk; where there are
// several, those that are not out; and the learners that are not out. Throws SystemError (retryable) when a chunk has
// several replicas and none is in sync.
std::set<std::string> nodesToPrepare(const Replicas& replicas, const std::set<std::string>& learners,
                                     const ClusterConfig& config);

// The answer of the metadata store to an attempt that was sent for decision.
enum class Decision {
    Committed,
    Aborted,       // a record of an abort is there
    Refused,       // the configuration has changed: no record is there
    TableChanged,  // the entry of a table has changed: no record is there, and no later one will be accepted
};

// The state of an attempt. Coordinator makes one for each try, and guards it: not thread-safe.
class Attempt {
public:
    enum class Kind {
        Wait,      // wait for an answer, or for a newer configuration
        WriteOut,  // write the node `alias` out of sync, and call `wroteOut`
        Decide,    // put `record(true)` if there is no record and `config` has the revision of `config()`
        Abort,     // put `record(false)` if there is no record
        End,
    };
    // A step that the caller is to carry out.
    struct Step {
        Kind kind = Kind::Wait;
        std::string alias;
    };
    // Begins an attempt of the transaction `name` on chunks with these replicas and joining learners, in a
    // configuration in which this process is `incarnation`. Throws SystemError as nodesToPrepare.
    Attempt(std::string name, Replicas replicas, std::set<std::string> learners,
            std::shared_ptr<const ClusterConfig> config, std::string incarnation);

    const std::string& name() const { return name_; }
    // Returns the nodes to ask, all at once.
    const std::set<std::string>& asked() const { return asked_; }
    // Returns the configuration that a decision compares.
    const ClusterConfig& config() const { return *config_; }
    // Returns the record that ends the transaction, by a commit or an abort.
    TransactionRecord record(bool commit) const;

    // Reports what a node answered. REQUIRES: it was asked, and the answer is one that is sent (kLastSentResult).
    void answered(const std::string& alias, CommitResult answer);
    // Returns whether a node has answered that it does not prepare the transaction: others need not be asked.
    bool isRefused() const { return isTableChanged_ || areRowsChanged_ || areRowsMoved_ || isBusy_ || isOld_; }
    // Reports that a node did not answer in time, or that its answer was lost; ignored if it has prepared before.
    void lost(const std::string& alias, const std::string& why);
    // Returns why the node that was lost last was lost; empty when none was.
    const std::string& whyLost() const { return whyLost_; }
    // Reports whether the node was written out of sync; when it may not be, the attempt ends without a commit.
    void wroteOut(const std::string& alias, bool done);
    // Reports the store's answer to the record that was sent, or the record that was found there.
    void decided(Decision decision);
    // Ends the attempt, since the caller waits no longer: with an unknown result if it was sent for decision.
    void giveUp();

    // Returns the next step at `now`, the newest configuration that this node knows. `arePlacesSame`: the chunks had
    // the nodes that the attempt began with, in that configuration or a later one.
    Step next(const std::shared_ptr<const ClusterConfig>& now, bool arePlacesSame = true);
    // Returns how the attempt ended; nothing while it has not.
    std::optional<CommitResult> result() const { return result_; }
    // Returns whether it was sent for decision: from then on only the record says how it ended.
    bool isSent() const { return isSent_; }
    // Returns whether no decision of it exists or can come to exist: nodes may forget it without a record. REQUIRES: it
    // has ended.
    bool mayForget() const { return !isSent_ || result_ == CommitResult::TableChanged; }

private:
    bool othersPrepared(const std::string& alias) const;
    Step end(CommitResult result);

    const std::string name_;
    const Replicas replicas_;
    const std::set<std::string> learners_;
    std::shared_ptr<const ClusterConfig> config_;
    const std::string incarnation_;
    std::set<std::string> asked_;
    std::set<std::string> prepared_;  // those of asked_ that have prepared
    std::set<std::string> lost_;      // those of asked_ that did not answer
    std::string whyLost_;
    bool isTableChanged_ = false;
    bool areRowsChanged_ = false;
    bool areRowsMoved_ = false;
    bool isBusy_ = false;
    bool isOld_ = false;  // a node was not in the state that the configuration shows
    bool mayNotWriteOut_ = false;
    bool isSent_ = false;
    uint64_t refusedAt_ = 0;  // revision of the configuration that the store refused
    std::optional<CommitResult> result_;
};

}  // namespace pelorus
