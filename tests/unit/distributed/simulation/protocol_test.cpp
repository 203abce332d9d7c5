// The protocol of the cluster under faults, in virtual time.
//
//   PELORUS_SIMULATIONS        how many seeds (default 300)
//   PELORUS_FIRST_SIMULATION   the first seed (default 1): a failure names its seed
//   PELORUS_MISTAKE_SEEDS      in how many seeds each planted mistake must be found (default 300)
#include <catch2/catch.hpp>
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

const std::pair<Mistake, const char*> kMistakes[] = {
    {Mistake::NoFence, "NoFence"},
    {Mistake::NoConfigCompare, "NoConfigCompare"},
    {Mistake::EarlyPurge, "EarlyPurge"},
    {Mistake::UnsyncedConfirm, "UnsyncedConfirm"},
    {Mistake::AnyReturnsFirst, "AnyReturnsFirst"},
    {Mistake::ReturnWithoutCopy, "ReturnWithoutCopy"},
    {Mistake::CopyBeforeJoining, "CopyBeforeJoining"},
    {Mistake::OldPrepareAccepted, "OldPrepareAccepted"},
    {Mistake::RevisionOfHeader, "RevisionOfHeader"},
    {Mistake::OnlyWatchEnds, "OnlyWatchEnds"},
    {Mistake::OutOfSyncServes, "OutOfSyncServes"},
    {Mistake::NoWaitForRevision, "NoWaitForRevision"},
    {Mistake::ForgetAfterSending, "ForgetAfterSending"},
    {Mistake::UnknownIsRefused, "UnknownIsRefused"},
    {Mistake::OwnRevision, "OwnRevision"},
    {Mistake::OutWritesOut, "OutWritesOut"},
};

}  // namespace

TEST_CASE("nothing acknowledged is lost or seen in part, whatever fails when") {
    const uint64_t first = setting("PELORUS_FIRST_SIMULATION", 1), count = setting("PELORUS_SIMULATIONS", 300);
    SimulatedCluster::Counts sum;
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
        sum.reads += cluster.counts().reads;
        sum.leavings += cluster.counts().leavings;
        sum.returns += cluster.counts().returns;
    }
    std::cout << count << " seeds: " << sum.acknowledged << " acknowledged, " << sum.own << " of one node alone, "
              << sum.refused << " refused, " << sum.unknown << " unknown, " << sum.again << " tried again, "
              << sum.reads << " reads, " << sum.leavings << " leavings, " << sum.returns << " returns\n";
    CHECK(sum.acknowledged > 20 * static_cast<int>(count));
    CHECK(sum.reads > 10 * static_cast<int>(count));
    CHECK(sum.leavings > 0);
    CHECK(sum.returns > 0);
}

TEST_CASE("a broken rule of the protocol is found") {
    const uint64_t most = setting("PELORUS_MISTAKE_SEEDS", 300);
    for (const auto& [mistake, name] : kMistakes) {
        uint64_t seed = 1;
        std::string violation;
        for (; seed <= most && violation.empty(); ++seed) violation = SimulatedCluster(seed, mistake).run();
        std::cout << name << ": " << (violation.empty() ? "not found" : violation) << ", " << seed - 1 << " seeds\n";
        INFO(name);
        CHECK_FALSE(violation.empty());
    }
}
