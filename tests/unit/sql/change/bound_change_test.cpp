#include "sql/change/bound_change.h"

#include <catch2/catch.hpp>

#include "runtime/code/expression.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using pelorus::testing::PartitionedBench;

namespace {

struct Bench : PartitionedBench {
    Bench() { run("t = table(1 2 3 4 as k, 10 20 30 40 as v, `a`b`a`b as s); p = 2; q = 5"); }

    std::shared_ptr<const BoundChange> bind(const std::string& statement) {
        const Value code = run("<" + statement + ">");
        return BoundChange::bind(static_cast<const Query&>(*code.as<Code>()->node), run("t").table().columns(),
                                 context);
    }
    Ref<MemoryTable> rows() { return Ref<MemoryTable>(run("t").table().asMemory()); }
    ComputedChange compute(const BoundChange& change) {
        return change.compute(rows(), change.parametersIn(context).value(), context);
    }
};

}  // namespace

TEST_CASE_METHOD(Bench, "a change that is bound once takes the values that names have at each run") {
    const auto change = bind("update t set v = v + q where k = p");
    REQUIRE(change);
    ComputedChange first = compute(*change);
    CHECK(first.matched == std::vector<int32_t>{1});
    CHECK(first.update.columns.at(0).second.at(1).asLong() == 25);
    run("p = 4; q = 1");
    first = compute(*change);
    CHECK(first.update.positions == std::vector<int32_t>{3});
    CHECK(first.update.columns.at(0).second.at(3).asLong() == 41);
    CHECK(rows()->column(1).at(3).asLong() == 40);
    run("p = int()");
    CHECK(compute(*change).matched.empty());
}

TEST_CASE_METHOD(Bench, "a parameter of another type does not fit what was bound") {
    const auto change = bind("update t set v = q where k = p");
    REQUIRE(change);
    CHECK(change->parametersIn(context));
    run("q = 2.5");
    CHECK_FALSE(change->parametersIn(context));
    run("q = 1 2");
    CHECK_FALSE(change->parametersIn(context));
}

TEST_CASE_METHOD(Bench, "a statement is bound once for each types of its parameters, and for so many alone") {
    const Value code = run("<update t set v = p where k = q>");
    const KeptChange kept(Ref<Query>(static_cast<Query*>(code.as<Code>()->node.get())));
    const Value table = run("t");
    const auto first = kept.prepareRun(table, context);
    REQUIRE(first.bound);
    run("p = 7");
    const auto again = kept.prepareRun(table, context);
    CHECK(again.bound == first.bound);
    CHECK(first.parameters.at(1).asLong() == 2);
    CHECK(again.parameters.at(1).asLong() == 7);
    run("p = 2.5");
    CHECK(kept.prepareRun(table, context).bound != first.bound);
    for (int scale = 0; scale < 18; ++scale) {
        run("p = decimal64(1, " + std::to_string(scale) + ")");
        kept.prepareRun(table, context);
    }
    CHECK_FALSE(kept.prepareRun(table, context).bound);
    run("p = 1");
    CHECK(kept.prepareRun(table, context).bound == first.bound);
}

TEST_CASE_METHOD(Bench, "what a bound condition fixes is told with the values of the run") {
    const auto change = bind("delete from t where p = k and v > q and s != `a");
    REQUIRE(change);
    run("p = 3");
    const auto fixed = change->constraints(change->parametersIn(context).value(), context);
    REQUIRE(fixed.size() == 2);
    CHECK(fixed[0].column == 0);
    CHECK(fixed[0].anyOf.at(0).asLong() == 3);
    CHECK(fixed[1].low.asLong() == 5);
    CHECK_FALSE(fixed[1].lowIncluded);
}

TEST_CASE_METHOD(Bench, "cells that stay as they are are matched and not written") {
    const auto change = bind("update t set v = 20, s = s where k <= p");
    REQUIRE(change);
    const ComputedChange computed = compute(*change);
    CHECK(computed.count == 2);
    CHECK(computed.update.positions == std::vector<int32_t>{0});
}

TEST_CASE_METHOD(Bench, "what is no condition and values of single rows is left to the engine") {
    run("list = 1 2 3; f = def(x) { return rand(x, 1)[0] }");
    CHECK_FALSE(bind("update t set v = sum(v) where k = 1"));
    CHECK_FALSE(bind("update t set v = 1 where k in list"));
    CHECK_FALSE(bind("update t set v = now() where k = 1"));
    CHECK_FALSE(bind("update t set v = f(5) where k = 1"));
    CHECK_FALSE(bind("update t set v = v + 1 where k = 1 context by s"));
    CHECK_FALSE(bind("update t set v = unknown where k = 1"));
    CHECK_FALSE(bind("delete from t where k = (exec max(k) from t)"));
}
