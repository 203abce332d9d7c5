#include "storage/rows/withdrawn_rows.h"

#include <catch2/catch.hpp>
#include <optional>
#include <thread>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("who has begun before a failure of the log hands no record to it") {
    WithdrawnRows rows;
    const uint64_t before = rows.failures();
    { const WithdrawnRows::Commit fine(rows, before); }
    rows.note();
    CHECK_THROWS_AS(WithdrawnRows::Commit(rows, before), SystemError);
    { const WithdrawnRows::Commit fine(rows, rows.failures()); }
    rows.notePutBack();
}

TEST_CASE("the log begins anew when all withdrawn rows are put back and no commit is under way") {
    WithdrawnRows rows;
    std::optional<WithdrawnRows::Commit> commit;
    commit.emplace(rows, rows.failures());
    rows.note();
    rows.note();
    std::atomic<int> step{0};
    std::thread renewal([&] {
        rows.awaitPutBack();
        step = 3;
    });
    rows.notePutBack();
    CHECK(step == 0);
    rows.notePutBack();
    CHECK(step == 0);  // the commit is still under way
    commit.reset();
    renewal.join();
    CHECK(step == 3);
}
