#include "storage/rows/row_transaction.h"

#include <catch2/catch.hpp>

#include "row_samples.h"
#include "storage/rows/row_part.h"

using namespace pelorus;

TEST_CASE("a transaction that goes out of scope leaves nothing") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    part->setIndexes({{"key", {0}, true}});
    uint64_t row = 0;
    {
        RowTransaction transaction(part);
        row = part->insert(transaction, SampleRow(1, "x").cells()).row;
        CHECK(transaction.edits().changes.size() == 1);
    }
    RowCells cells;
    CHECK_FALSE(part->read(row, {TransactionSlots::kNewest}, {0}, cells));
    RowTransaction next(part);
    CHECK(part->insert(next, SampleRow(2, "y").cells()).row == row);
}

TEST_CASE("a placed transaction whose record was lost is taken back, with what was written over it") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    part->setIndexes({{"key", {0}, true}});
    RowTransaction load(part);
    const uint64_t row = part->insert(load, SampleRow(1, "durable").cells()).row;
    load.place(1);
    load.settle();
    RowTransaction lost(part);
    part->update(lost, row, {1}, {"lost"});
    lost.place(2);
    RowTransaction next(part);
    REQUIRE(part->update(next, row, {1}, {"on top"}).outcome == RowOutcome::Done);
    lost.withdraw();
    const auto text = [&](uint64_t number) {
        RowCells cells;
        part->read(row, {number}, {1}, cells);
        return std::string(cells[0]);
    };
    CHECK(text(1) == "durable");
    CHECK(text(9) == "durable");
    next.abort();
    RowTransaction third(part);
    CHECK(part->update(third, row, {1}, {"too early"}).outcome == RowOutcome::Busy);
    lost.abort();
    CHECK(text(9) == "durable");
    CHECK(part->update(third, row, {1}, {"new"}).outcome == RowOutcome::Done);
    third.place(2);
    third.settle();
    CHECK(text(2) == "new");
    part->purge(2);
    CHECK(part->check().empty());
}
