// Checks of invariants: what they say, how they end, and that they cost nothing when they hold.
#include <catch2/catch.hpp>

#undef CHECK
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"

namespace pelorus {
namespace {

template <class F>
std::string failureOf(const F& f) {
    try {
        f();
    } catch (const CheckFailure& failure) {
        return failure.what();
    }
    return "";
}

enum class Phase { Open = 3, Closed = 4 };

}  // namespace

TEST_CASE("a check that holds does nothing, and computes no message") {
    int computed = 0;
    auto message = [&] {
        ++computed;
        return "computed";
    };
    CHECK(1 + 1 == 2) << message();
    CHECK_FATAL(computed == 0) << message();
    REQUIRE(computed == 0);
}

TEST_CASE("a failed check names condition, both values, place and invariant") {
    const int64_t rows = 5;
    const std::string failure = failureOf([&] { CHECK(rows < size_t{3}) << "a batch has at most " << 3 << " rows"; });
    REQUIRE_THAT(failure, Catch::Contains("CHECK(rows < size_t{3}) failed: 5 < 3"));
    REQUIRE_THAT(failure, Catch::Contains("(tests/unit/common/check_test.cpp:"));
    REQUIRE_THAT(failure, Catch::EndsWith("a batch has at most 3 rows."));
}

TEST_CASE("values of each kind are shown") {
    const std::string name = "log";
    REQUIRE_THAT(failureOf([&] { CHECK(name == "segment") << ""; }), Catch::Contains(R"("log" == "segment")"));
    REQUIRE_THAT(failureOf([&] { CHECK(Phase::Open == Phase::Closed) << ""; }), Catch::Contains("3 == 4"));
    REQUIRE_THAT(failureOf([&] { CHECK(2.5 > 3.5) << ""; }), Catch::Contains("2.5 > 3.5"));
    REQUIRE_THAT(failureOf([&] { CHECK(uint8_t{7} != uint8_t{7}) << ""; }), Catch::Contains("7 != 7"));
    int* null = nullptr;
    REQUIRE_THAT(failureOf([&] { CHECK(null != nullptr) << ""; }), Catch::Contains("null != null"));
    REQUIRE_THAT(failureOf([&] { CHECK(null) << ""; }), Catch::Contains("failed: false"));
    REQUIRE_THAT(failureOf([&] { CHECK(1 == 1 && 2 == 3) << ""; }), Catch::Contains("failed: false"));
}

TEST_CASE("integers are compared by value whatever their signs") {
    const int negative = -1;
    const size_t one = 1;
    CHECK(negative < one) << "";
    REQUIRE(!failureOf([&] { CHECK(negative == static_cast<size_t>(-1)) << ""; }).empty());
}

TEST_CASE("a check in an if without braces takes no else that is not its own") {
    bool elseRan = false;
    // clang-format off
    if (elseRan)
        CHECK(1 == 2) << "";
    else
        elseRan = true;
    // clang-format on
    REQUIRE(elseRan);
}

TEST_CASE("a failed CHECK_FATAL ends the process") {
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(STDERR_FILENO);
        CHECK_FATAL(1 == 2) << "never";
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    // Sanitizers end it in a way of their own.
    const bool wasAborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    REQUIRE((wasAborted || (WIFEXITED(status) && WEXITSTATUS(status) != 0)));
}

}  // namespace pelorus
