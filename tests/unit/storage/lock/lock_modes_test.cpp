#include "storage/lock/lock_modes.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("modes of locks exclude each other as those of tables and rows in PostgreSQL") {
    using enum LockMode;
    const LockMode all[] = {AccessShare, RowShare,          RowExclusive, ShareUpdateExclusive,
                            Share,       ShareRowExclusive, Exclusive,    AccessExclusive};
    const char* const excluded[] = {"00000001", "00000011", "00001111", "00011111",
                                    "00110111", "00111111", "01111111", "11111111"};
    for (size_t a = 0; a < 8; ++a) {
        for (size_t b = 0; b < 8; ++b) {
            const bool isExcluded = (conflictsOf(all[a]) & setOf(all[b])) != 0;
            CHECK(isExcluded == (excluded[a][b] == '1'));
            CHECK(isExcluded == ((conflictsOf(all[b]) & setOf(all[a])) != 0));
        }
    }
    // Rows: who only refers to a key stands an update of other columns.
    CHECK((conflictsOf(row_lock::kKeyShare) & setOf(row_lock::kNoKeyUpdate)) == 0);
    CHECK((conflictsOf(row_lock::kKeyShare) & setOf(row_lock::kUpdate)) != 0);
    CHECK((conflictsOf(row_lock::kShare) & setOf(row_lock::kNoKeyUpdate)) != 0);
    CHECK((conflictsOf(row_lock::kShare) & setOf(row_lock::kShare)) == 0);
    CHECK((conflictsOf(row_lock::kNoKeyUpdate) & setOf(row_lock::kNoKeyUpdate)) != 0);
}

TEST_CASE("a mode covers those that exclude no more") {
    CHECK(covers(setOf(LockMode::AccessExclusive), LockMode::AccessShare));
    CHECK(covers(setOf(row_lock::kUpdate), row_lock::kNoKeyUpdate));
    CHECK_FALSE(covers(setOf(row_lock::kShare), row_lock::kNoKeyUpdate));
    CHECK_FALSE(covers(setOf(LockMode::Share), LockMode::RowExclusive));
    CHECK_FALSE(covers(0, LockMode::AccessShare));
    // Together two modes may cover a third.
    CHECK(covers(setOf(LockMode::Share) | setOf(LockMode::RowExclusive), LockMode::ShareRowExclusive));
}
