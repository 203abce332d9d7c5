// One attempt to store a transaction, as its coordinator sees it: who has prepared it, and what comes next.
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

using Replicas = std::vector<std::vector<std::string>>;

// Returns the nodes that must prepare rows of chunks with these replicas: the only one of a chunk; of several, and of
// learners that join them, those that are not out. Throws SystemError (retryable) when all replicas of a chunk are out.
std::set<std::string> nodesToPrepare(const Replicas& replicas, const std::set<std::string>& learners,
                                     const ClusterConfig& config);

// What the metadata store says of an attempt that was sent for decision.
enum class Decision {
    Committed,
    Aborted,       // a record of an abort is there
    Refused,       // the configuration has changed: no record is there
    TableChanged,  // the entry of a table has changed: no record is there, and no later one will be accepted
};

class Attempt {
public:
    enum class Kind {
        Wait,      // for an answer, or for a newer configuration
        WriteOut,  // write the node `alias` out of sync, and say `wroteOut`
        Decide,    // put `record(true)` if there is no record and `config` has the revision of `config()`
        Abort,     // put `record(false)` if there is no record
        End,
    };
    struct Step {
        Kind kind = Kind::Wait;
        std::string alias;
    };
    // `replicas` of its chunks, and nodes that join some of them, as of a configuration in which this process is
    // `incarnation`. Throws SystemError when no replica of a chunk is in sync.
    Attempt(std::string name, Replicas replicas, std::set<std::string> learners,
            std::shared_ptr<const ClusterConfig> config, std::string incarnation);

    const std::string& name() const { return name_; }
    // Returns the nodes to ask, all at once.
    const std::set<std::string>& asked() const { return asked_; }
    // Returns the configuration that a decision compares.
    const ClusterConfig& config() const { return *config_; }
    // Returns what ends the transaction.
    TransactionRecord record(bool commit) const;

    void answered(const std::string& alias, CommitResult answer);
    // Whether a node has answered that it does not prepare it: others need not be asked.
    bool isRefused() const { return isTableChanged_ || areRowsChanged_ || areRowsMoved_ || isBusy_ || isOld_; }
    // It did not answer in time, or the answer was lost.
    void lost(const std::string& alias, const std::string& why);
    // Returns why nodes were lost.
    const std::string& whyLost() const { return whyLost_; }
    // Nobody else may try when this node may not.
    void wroteOut(const std::string& alias, bool done);
    // Takes in what the store says of the record that was sent, or of the one that it found there.
    void decided(Decision decision);
    // Nobody waits for it any longer.
    void giveUp();

    // Returns what to do at the newest configuration that this node knows. `arePlacesSame`: the chunks had the nodes
    // that the attempt began with, then or later.
    Step next(const std::shared_ptr<const ClusterConfig>& now, bool arePlacesSame = true);
    // Returns how it ended; nothing while it has not.
    std::optional<CommitResult> result() const { return result_; }
    // Whether it was sent for decision: from then on only the record says how it ended.
    bool isSent() const { return isSent_; }
    // Whether it has ended, and neither is decided nor can be: nodes may forget it without a record.
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
    std::set<std::string> prepared_;  // of them
    std::set<std::string> lost_;
    std::string whyLost_;
    bool isTableChanged_ = false;
    bool areRowsChanged_ = false;
    bool areRowsMoved_ = false;
    bool isBusy_ = false;
    bool isOld_ = false;  // a node was not in the state that the configuration says
    bool mayNotWriteOut_ = false;
    bool isSent_ = false;
    uint64_t refusedAt_ = 0;  // revision of the configuration that the store refused
    std::optional<CommitResult> result_;
};

}  // namespace pelorus
