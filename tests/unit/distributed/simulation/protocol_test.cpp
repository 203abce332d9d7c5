// The protocol of the cluster under faults, in virtual time.
//
//   PELORUS_SIMULATIONS        how many seeds (default 300)
//   PELORUS_FIRST_SIMULATION   the first seed (default 1): a failure names its seed
//   PELORUS_MISTAKE            the only planted mistake to look for
//   PELORUS_MISTAKE_SEEDS      in how many seeds each planted mistake must be found (default 300)
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "common/log.h"
#include "tests/unit/distributed/simulation/simulated_cluster.h"

using namespace pelorus;
using testing::Mistake;
using testing::SimulatedCluster;

namespace {

uint64_t setting(const char* name, uint64_t otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

struct Planted {
    Mistake mistake;
    const char* name;
    uint64_t foundAt;  // the seed that found it last: tried first
};

const Planted kMistakes[] = {
    {Mistake::NoFence, "NoFence", 1},
    {Mistake::NoConfigCompare, "NoConfigCompare", 1},
    {Mistake::EarlyPurge, "EarlyPurge", 2},
    {Mistake::UnsyncedConfirm, "UnsyncedConfirm", 9},
    {Mistake::AnyReturnsFirst, "AnyReturnsFirst", 9},
    {Mistake::ReturnWithoutCopy, "ReturnWithoutCopy", 1},
    {Mistake::CopyBeforeJoining, "CopyBeforeJoining", 3},
    {Mistake::OldPrepareAccepted, "OldPrepareAccepted", 1},
    {Mistake::RevisionOfHeader, "RevisionOfHeader", 92},
    {Mistake::NoDoubt, "NoDoubt", 1},
    {Mistake::OutOfSyncServes, "OutOfSyncServes", 1},
    {Mistake::LateComerServes, "LateComerServes", 130},
    {Mistake::NoWaitForRevision, "NoWaitForRevision", 1},
    {Mistake::ForgetAfterSending, "ForgetAfterSending", 3},
    {Mistake::UnknownIsRefused, "UnknownIsRefused", 3},
    {Mistake::OwnRevision, "OwnRevision", 1},
    {Mistake::LostCountsAsPrepared, "LostCountsAsPrepared", 1},
    {Mistake::UncheckedChange, "UncheckedChange", 5},
    {Mistake::ChangeOfOldRows, "ChangeOfOldRows", 1},
    {Mistake::JoiningSkipsChanges, "JoiningSkipsChanges", 1},
    {Mistake::NoTableCompare, "NoTableCompare", 1},
    {Mistake::NoSettledCommits, "NoSettledCommits", 117},
    {Mistake::PlaceWithoutConfig, "PlaceWithoutConfig", 68},
    {Mistake::LearnerKeepsCopy, "LearnerKeepsCopy", 36},
    {Mistake::OldPlaces, "OldPlaces", 6},
    {Mistake::CopyBeforeJoin, "CopyBeforeJoin", 1},
    {Mistake::LostFolderIsIn, "LostFolderIsIn", 14},
    {Mistake::LostFolderConfirms, "LostFolderConfirms", 78},
    {Mistake::LostFolderIsComplete, "LostFolderIsComplete", 39},
    {Mistake::OldFolderIsTaken, "OldFolderIsTaken", 101},
    {Mistake::LostLogIsNew, "LostLogIsNew", 7},
    {Mistake::SetBackStoreIsTaken, "SetBackStoreIsTaken", 2},
    {Mistake::RevisionTellsAge, "RevisionTellsAge", 3},
    {Mistake::NoNewLog, "NoNewLog", 1},
};

}  // namespace

TEST_CASE("nothing acknowledged is lost or seen in part, whatever fails when") {
    const uint64_t first = setting("PELORUS_FIRST_SIMULATION", 1), count = setting("PELORUS_SIMULATIONS", 300);
    SimulatedCluster::Counts sum;
    minLogLevel = LogLevel::Error;  // torn ends of logs are what is wanted here
    for (uint64_t seed = first; seed < first + count; ++seed) {
        SimulatedCluster cluster(seed, Mistake::None);
        const std::string violation = cluster.run();
        INFO("seed " << seed << ": " << violation);
        REQUIRE(violation.empty());
        sum.acknowledged += cluster.counts().acknowledged;
        sum.own += cluster.counts().own;
        sum.refused += cluster.counts().refused;
        sum.unknown += cluster.counts().unknown;
        sum.again += cluster.counts().again;
        sum.changes += cluster.counts().changes;
        sum.seenAnew += cluster.counts().seenAnew;
        sum.boundAnew += cluster.counts().boundAnew;
        sum.learned += cluster.counts().learned;
        sum.reads += cluster.counts().reads;
        sum.leavings += cluster.counts().leavings;
        sum.returns += cluster.counts().returns;
        sum.lostDisks += cluster.counts().lostDisks;
        sum.putBack += cluster.counts().putBack;
        sum.setBacks += cluster.counts().setBacks;
        sum.newLogs += cluster.counts().newLogs;
        sum.setAside += cluster.counts().setAside;
    }
    minLogLevel = LogLevel::Warning;
    std::cout << count << " seeds: " << sum.acknowledged << " acknowledged, " << sum.own << " of one node alone, "
              << sum.changes << " changes, " << sum.refused << " refused, " << sum.unknown << " unknown, " << sum.again
              << " tried again, " << sum.seenAnew << " changes seen anew, " << sum.boundAnew << " bound anew, "
              << sum.learned << " partitions learned, " << sum.reads << " reads, " << sum.leavings << " leavings, "
              << sum.returns << " returns, " << sum.lostDisks << " disks lost, " << sum.putBack << " put back, "
              << sum.setBacks << " times the store set back, " << sum.newLogs << " new logs, " << sum.setAside
              << " newer copies replaced\n";
    CHECK(sum.acknowledged > 20 * static_cast<int>(count));
    CHECK(sum.reads > 10 * static_cast<int>(count));
    CHECK(sum.changes > static_cast<int>(count));
    CHECK(sum.boundAnew > 0);
    CHECK(sum.learned > 0);
    CHECK(sum.leavings > 0);
    CHECK(sum.returns > 0);
    CHECK(sum.lostDisks > 0);
    CHECK(sum.setBacks > 0);
    CHECK(sum.newLogs > 0);
}

// Each mistake runs in a separate process, since it may also be found by a CHECK that ends the process.
TEST_CASE("a broken rule of the protocol is found") {
    const uint64_t most = setting("PELORUS_MISTAKE_SEEDS", 300);
    const char* only = std::getenv("PELORUS_MISTAKE");
    for (const auto& [mistake, name, foundAt] : kMistakes) {
        if (only != nullptr && std::string(only) != name) continue;
        std::cout << std::flush;
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            minLogLevel = LogLevel::Off;
            std::signal(SIGABRT, SIG_DFL);
            for (uint64_t tried = 0; tried <= most; ++tried) {
                const uint64_t seed = tried == 0 ? foundAt : tried;
                const std::string violation = SimulatedCluster(seed, mistake).run();
                if (violation.empty()) continue;
                std::cout << name << ": " << violation << ", seed " << seed << std::endl;
                ::_exit(1);
            }
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        INFO(name);
        const bool isFound = WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WEXITSTATUS(status) == 1;
        if (WIFSIGNALED(status)) std::cout << name << ": ended by a CHECK\n";
        CHECK(isFound);
    }
}
