// Programs over cones.
#include "stdlib/optimisation/cone_program.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "common/thread/cancellation.h"
#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("linear and quadratic programs meet their bounds") {
    ConeProgram linear(std::vector<double>{1, 2});
    linear.addInequality({-1, -1}, -2);
    linear.addInequality({1, 0}, 2);
    linear.addInequality({0, 1}, 2);
    linear.finish();
    const ConeSolution corner = solveCone(linear, [] {});
    REQUIRE(corner.status == ConeStatus::Optimal);
    CHECK(corner.x[0] == Approx(2).margin(1e-6));
    ConeProgram quadratic(std::vector<double>{-5, 4});
    quadratic.p = {2, -2, -2, 6};
    quadratic.addEquality({1, 2}, 1);
    quadratic.finish();
    CHECK(solveCone(quadratic, [] {}).x[0] == Approx(1.7272727).margin(1e-6));
}

TEST_CASE("a ball is a bound, too") {
    ConeProgram program(std::vector<double>{-1, -1});
    program.addBall({1, 0, 0, 1}, {0, 0}, std::sqrt(2));
    program.finish();
    const ConeSolution solution = solveCone(program, [] {});
    REQUIRE(solution.status == ConeStatus::Optimal);
    CHECK(solution.x[0] == Approx(1).margin(1e-6));
}

TEST_CASE("what has no solution says so") {
    ConeProgram empty(std::vector<double>{1});
    empty.addInequality({1}, 0);
    empty.addInequality({-1}, -1);
    empty.finish();
    CHECK(solveCone(empty, [] {}).status == ConeStatus::Infeasible);
    ConeProgram endless(std::vector<double>{-1});
    endless.addInequality({-1}, 0);
    endless.finish();
    CHECK(solveCone(endless, [] {}).status == ConeStatus::Unbounded);
}

TEST_CASE("equations are left within an iteration when the request is cancelled") {
    ConeProgram program(std::vector<double>{1});
    program.addInequality({-1}, -1);
    program.finish();
    const CancellationFlag flag{true};
    const CancellationScope scope(&flag);
    CHECK_THROWS_WITH(solveCone(program, [] {}), "The task was cancelled.");
}
