// Five nodes of a cluster in one thread and in virtual time: everything that happens, and every fault, follows from one
// seed.
//
// The storage of each node on a disk that breaks, the attempts of its coordinator, its installer, its state of the
// cluster and the rules of who is in sync are the product's. The metadata store, the network and the clock are
// simulated; messages are delayed and lost, processes are killed, lose their power, pause, and are cut off from each
// other and from the store; disks refuse syncs, are lost with all or with the log, and come back in an older state; all
// stop, and the store is set back. People put the disk or the store back where a node asks for that. Clients append
// batches over several partitions, replace the rows of partitions by these and some more, read all of them, and change
// the table's entry, by which rows are bound. An administrator changes the nodes of partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "distributed/metadata/cluster_state.h"
#include "distributed/metadata/folder_standing.h"
#include "distributed/transaction/attempt.h"
#include "distributed/transaction/installer.h"
#include "storage/commit/prepared_commits.h"
#include "storage/commit/write_batch.h"
#include "tests/support/faulty_file_system.h"
#include "tests/unit/distributed/simulation/simulated_store.h"

namespace pelorus::testing {

// A rule of the protocol that is broken on purpose: the checks must find that.
enum class Mistake {
    None,
    NoFence,               // a process that starts does not take the place of the one before in `config`
    NoConfigCompare,       // a decision does not compare `config`
    EarlyPurge,            // a record goes before all participants have confirmed it
    UnsyncedConfirm,       // a node confirms what is not on its disk
    AnyReturnsFirst,       // of replicas that are all out, any one returns without a copy
    ReturnWithoutCopy,     // a node is in sync again without a copy
    CopyBeforeJoining,     // ... with a copy of a revision before it joined
    OldPrepareAccepted,    // a node prepares what was sent before it was out and came back
    RevisionOfHeader,      // own commits are numbered by revisions that no transaction made
    NoDoubt,               // nobody ends what a coordinator left prepared
    OutOfSyncServes,       // nodes that are out are asked, and serve
    LateComerServes,       // a node serves a revision at which it was not in sync, or had another folder
    NoWaitForRevision,     // a node serves a revision that it has not installed
    ForgetAfterSending,    // an attempt that was sent is forgotten and begun anew
    UnknownIsRefused,      // a decision whose answer is lost counts as refused
    OwnRevision,           // a query reads at its node's revision, without asking the store
    LostCountsAsPrepared,  // a node that does not answer counts as one that has prepared
    UncheckedChange,       // replicas do not compare the rows that a change has seen with theirs
    ChangeOfOldRows,       // a change that is tried again is not computed anew
    JoiningSkipsChanges,   // a node that copies partitions does not prepare changes of them
    NoTableCompare,        // a decision does not compare the entries of tables
    NoSettledCommits,      // a learner copies what one node alone had without waiting for the commits that it began
    PlaceWithoutConfig,    // a change of a place does not write `config`
    LearnerKeepsCopy,      // a learner whose node was out in between does not begin its copy again
    OldPlaces,             // what was prepared by the nodes of an older place is decided
    CopyBeforeJoin,        // a learner copies before it joins
    LostFolderIsIn,        // a node whose folder was lost stays in sync
    LostFolderConfirms,    // ... confirms what the folder before may not have installed
    LostFolderIsComplete,  // ... is out of sync, and returns without a copy when it left last
    OldFolderIsTaken,      // a folder in an older state is taken for that of the node
    LostLogIsNew,          // a log that was lost is taken for that of a new folder, and the node stays in sync
    SetBackStoreIsTaken,   // nodes follow a store that was set back
    RevisionTellsAge,      // ... when it has grown past the revisions that they have seen
    NoNewLog,              // a log whose sync failed is not begun anew
};

// A simulation of one seed, with or without a mistake. The tests of the protocol run one for each seed. Not
// thread-safe.
class SimulatedCluster {
public:
    SimulatedCluster(uint64_t seed, Mistake mistake);
    ~SimulatedCluster();

    // Runs the simulation to its end. Returns the first violation; empty when there is none.
    std::string run();

    // Counts of what happened in the run: a test that meets too little fails.
    struct Counts {
        int acknowledged = 0, refused = 0, unknown = 0, own = 0, reads = 0, leavings = 0, returns = 0, again = 0;
        int changes = 0, seenAnew = 0, boundAnew = 0, learned = 0;
        int lostDisks = 0, putBack = 0, setBacks = 0, newLogs = 0, setAside = 0;
    };
    const Counts& counts() const { return counts_; }

private:
    using Micros = int64_t;
    struct Node;
    struct Run;
    struct Reading;
    // A copy of a partition: its rows, when they were last changed at the source, and since when that is complete.
    struct Copied {
        std::vector<int32_t> rows;
        uint64_t change = 0, since = 0;
    };
    struct Batch {
        std::vector<int> partitions;
        bool isChange = false;
        enum class End { Open, Acknowledged, Refused, Unknown } end = End::Open;
    };
    struct Event {
        Micros at;
        uint64_t order;
        std::function<void()> happen;
        bool operator>(const Event& other) const { return std::tie(at, order) > std::tie(other.at, other.order); }
    };

    bool chance(double probability);
    Micros between(Micros low, Micros high);
    void violate(const std::string& what);

    // Schedule an event in virtual time. The events of a node wait while it pauses, and are dropped when its process
    // ends.
    void after(Micros delay, std::function<void()> happen);
    void at(Node& node, Micros delay, std::function<void()> happen);
    void every(Node& node, Micros period, std::function<void()> happen);
    // Sends a message, which may be lost or late.
    void send(const Node& from, Node& to, std::function<void()> arrive);
    // Asks the store; either way may be lost, and then `fail` is called after a while.
    template <class T>
    void ask(Node& node, std::function<T(SimulatedStore&)> question, std::function<void(const T&)> answer,
             std::function<void()> fail, bool mayRepeat = false);

    void start(Node& node);
    void stop(Node& node, bool losePower);
    bool openStorage(Node& node);
    Standing standingOfDisk(const Node& node) const;
    bool admit(Node& node);
    void loseDisk(Node& node);
    void putDiskBack(Node& node);
    bool haveOthers(const std::string& alias) const;
    void setStoreBack();
    void noteFolder(Node& node);
    // Does what the disk may refuse: returns false then, and the node leaves.
    bool tryOnDisk(Node& node, const std::function<void()>& work);
    void install(Node& node, const ClusterMoment& moment, std::function<void()> then);
    void follow(Node& node);
    void readState(Node& node);
    void changed(Node& node);
    void round(Node& node);
    void settle(Node& node);
    void endIfAbandoned(Node& node, const PreparedCommits::OpenTransaction& open);
    // Waits until a node has installed a revision.
    void whenInstalled(Node& node, uint64_t revision, Micros timeout, std::function<void()> then,
                       std::function<void()> fail);

    bool isOwn(const Node& node, int partition) const;
    void write(Node& node);
    void writeOwn(Node& node, int batch, Micros deadline);
    void begin(Node& node, int batch, Micros deadline, bool inOrder, std::shared_ptr<Reading> seen = nullptr);
    void beginAgain(Node& node, const std::shared_ptr<Run>& run);
    void beginChange(Node& node, int batch, Micros deadline);
    void openForChange(Node& node, int batch, Micros deadline, const std::shared_ptr<Reading>& reading);
    std::vector<ChunkRows> chunksFor(Node& node, const Run& run) const;
    void prepare(Node& node, const std::shared_ptr<Run>& run);
    void prepareAt(Node& node, const std::shared_ptr<Run>& run, const std::string& alias);
    void changeEntry();
    void checkDecisions();

    PlacedChunk placeAt(const Node& node, int partition) const;
    void changePlaces();
    void learn(Node& node);
    void changePlace(Node& node, const PlacedChunk& place, uint64_t config, std::function<void(bool)> done);
    void join(Node& node, int partition);
    void settleAndCopy(Node& node, int partition, uint64_t step);
    void becomeReplica(Node& node, int partition, const PlacedChunk& joined, uint64_t since, uint64_t step);
    void awaitOwn(Node& node, int partition, std::set<int> begun, std::function<void()> then);
    void removeLeft(Node& node, int partition);
    void copyOne(Node& node, int partition, std::function<bool()> isOver, std::function<void(bool)> done,
                 std::function<void()> fail);
    void advance(Node& node, const std::shared_ptr<Run>& run);
    void decide(Node& node, const std::shared_ptr<Run>& run);
    void sendDecisions(Node& node);
    void askHowItEnded(Node& node, const std::shared_ptr<Run>& run, std::function<void()> fail);
    void abort(Node& node, const std::shared_ptr<Run>& run);
    void finish(Node& node, const std::shared_ptr<Run>& run);
    // Changes `config` by compare-and-swap. `with` returns the writes of the same transaction.
    void changeConfig(Node& node, Micros timeout, std::function<std::optional<bool>(ClusterConfig&)> change,
                      std::function<void(bool)> done, std::function<std::vector<MetaWrite>()> with = nullptr);
    void writeOut(Node& node, const std::string& alias, int attempt, std::function<void(bool)> done);
    void close(int batch, Batch::End end);

    void read(Node& node);
    void openParts(Node& node, const std::shared_ptr<Reading>& reading);
    void check(Reading& reading);

    void comeBack(Node& node);
    // Writes a state of the node. `joined`: only while its state has this revision; 0: whatever it is.
    void enter(Node& node, NodeState state, uint64_t joined, std::function<void(bool)> done);
    void copyNext(Node& node, uint64_t joined, std::vector<int> left);
    void replaceAtRest(Node& node, int partition, const Copied& copied, uint64_t pin, std::function<bool()> isOver,
                       std::function<void(bool)> done);
    void endReturn(Node& node, uint64_t joined);
    void failedReturn(Node& node);

    void breakSomething();
    void failSyncs(Node& node, Micros lasting);
    void putDisksBack();
    void endLeases();
    void heal();
    bool isAtRest(const Node& node, int partition) const;
    bool mayServe(const Node& node, uint64_t revision) const;
    bool isAtRest() const;
    void finalCheck();

    Node& nodeOf(const std::string& alias);
    bool isProcessAlive(const std::string& incarnation) const;
    std::vector<int32_t> rowsAt(const Node& node, int partition, uint64_t number) const;
    uint64_t changeAt(const Node& node, int partition, uint64_t number) const;

    std::mt19937_64 random_;
    const Mistake mistake_;
    SimulatedStore store_;
    std::unique_ptr<SimulatedStore> trueStore_;  // while it is set back
    std::vector<std::unique_ptr<Node>> nodes_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    Micros now_ = 0;
    uint64_t lastOrder_ = 0;
    Micros writePeriod_ = 0;  // of each node
    Micros storeStandsUntil_ = 0;
    bool quiet_ = false;  // no more faults
    std::set<std::pair<const Node*, const Node*>> cuts_;
    std::set<const Node*> cutFromStore_;
    std::vector<Batch> batches_;
    std::vector<int> acknowledged_;            // in the order of their answers
    std::vector<int> seen_;                    // by readings that have ended
    std::map<std::string, uint64_t> boundBy_;  // by transaction, the revision of the table's entry
    std::set<int> isSeen_;
    std::string violation_;
    Counts counts_;
};

}  // namespace pelorus::testing
