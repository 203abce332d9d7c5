#include "common/thread/cancellation.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("a loop of a cancelled request ends before its next piece") {
    CancellationFlag flag{false};
    const CancellationScope scope(&flag);
    std::vector<std::pair<int64_t, int64_t>> pieces;
    CHECK_THROWS_WITH(inPieces(100'000,
                               [&](int64_t begin, int64_t end) {
                                   pieces.emplace_back(begin, end);
                                   if (pieces.size() == 2) flag = true;
                               }),
                      "The task was cancelled.");
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[1].first == pieces[0].second);
    flag = false;
    int64_t covered = 0;
    inPieces(100'000, [&](int64_t begin, int64_t end) {
        CHECK(begin == covered);
        covered = end;
    });
    CHECK(covered == 100'000);
    inPieces(0, [](int64_t, int64_t) { FAIL("there is no piece"); });
}

TEST_CASE("the innermost scope counts, and one of nobody hides the flag") {
    CancellationFlag outer{true}, inner{false};
    CHECK_NOTHROW(checkCancelled());
    const CancellationScope first(&outer);
    CHECK_THROWS_AS(checkCancelled(), UserError);
    {
        const CancellationScope second(&inner);
        CHECK_NOTHROW(checkCancelled());
        {
            const CancellationScope none(nullptr);
            inner = true;
            CHECK_NOTHROW(checkCancelled());
            CHECK(CancellationScope::current() == nullptr);
        }
        CHECK_THROWS_AS(checkCancelled(), UserError);
    }
    CHECK(CancellationScope::current() == &outer);
}
