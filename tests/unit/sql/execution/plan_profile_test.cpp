// A node is measured without the nodes below it, and without its scan.
#include "sql/execution/plan_profile.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("rows, runs and spilled bytes are counted for each node") {
    const auto scan = std::make_shared<ScanProfile>();
    PlanProfile profile(3, scan);
    for (int run = 0; run < 2; ++run) {
        PlanProfile::Timer outer(&profile, 0);
        outer.setRows(2);
        {
            PlanProfile::Timer inner(&profile, 1);
            inner.setRows(30);
            scan->spilledBytes += 100;
        }
        outer.addSpilled(7);
        scan->spilledBytes += 10;
    }
    CHECK(profile.of(0).runs == 2);
    CHECK(profile.of(0).rows == 4);
    CHECK(profile.of(0).spilledBytes == 34);
    CHECK(profile.of(1).rows == 60);
    CHECK(profile.of(1).spilledBytes == 200);
    CHECK(profile.of(2).runs == 0);
}

TEST_CASE("the time of a node has that of the nodes below only in its total") {
    const auto scan = std::make_shared<ScanProfile>();
    PlanProfile profile(2, scan);
    {
        const PlanProfile::Timer outer(&profile, 0);
        const PlanProfile::Timer inner(&profile, 1);
        scan->nanos += int64_t{1} << 50;  // far more than the node took: nothing is left for itself
    }
    CHECK(profile.of(1).nanos == 0);
    CHECK(profile.of(1).totalNanos > 0);
    CHECK(profile.of(0).totalNanos >= profile.of(1).totalNanos);
    CHECK(profile.of(0).nanos <= profile.of(0).totalNanos - profile.of(1).totalNanos);
}

TEST_CASE("nothing is measured without a profile") {
    PlanProfile::Timer none(nullptr, 5);
    none.setRows(1);
    none.addSpilled(1);
    CHECK(PlanProfile(1, nullptr).of(0).runs == 0);
}
