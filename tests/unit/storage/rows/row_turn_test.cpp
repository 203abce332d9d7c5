#include "storage/rows/row_turn.h"

#include <catch2/catch.hpp>
#include <thread>

#include "row_samples.h"
#include "storage/rows/row_part.h"

using namespace pelorus;

TEST_CASE("one holder has the turn, and the next learns what was placed") {
    RowTurn turn;
    CHECK(turn.acquire() == 0);
    uint64_t seen = 0;
    std::thread next([&] {
        seen = turn.acquire();
        turn.release();
    });
    turn.releasePlaced(7);
    next.join();
    CHECK(seen == 7);
}

TEST_CASE("the next turn puts back withdrawn transactions, and waits until it has them") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    RowTurn turn;
    turn.acquire();
    auto lost = std::make_unique<RowTransaction>(part);
    const uint64_t row = part->insert(*lost, SampleRow(1, "x").cells()).row;
    lost->place(3);
    turn.releasePlaced(3);
    lost->withdraw();
    turn.noteWithdrawn();
    std::thread next([&] { turn.putBackWithdrawn(); });
    turn.giveWithdrawn(std::move(lost));
    next.join();
    RowCells cells;
    CHECK_FALSE(part->read(row, {TransactionSlots::kNewest}, {0}, cells));
    RowTransaction other(part);
    CHECK(part->insert(other, SampleRow(1, "y").cells()).outcome == RowOutcome::Done);
}
