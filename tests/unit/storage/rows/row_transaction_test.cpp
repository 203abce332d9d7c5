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
        RowTransaction transaction(slots);
        row = part->insert(transaction, SampleRow(1, "x").cells()).row;
        CHECK(transaction.changes()[0].edits.changes.size() == 1);
    }
    RowCells cells;
    CHECK_FALSE(part->read(row, {TransactionSlots::kNewest}, {0}, cells));
    RowTransaction next(slots);
    CHECK(part->insert(next, SampleRow(2, "y").cells()).row == row);
}

TEST_CASE("a placed transaction whose record was lost is taken back, with what was written over it") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    part->setIndexes({{"key", {0}, true}});
    RowTransaction load(slots);
    const uint64_t row = part->insert(load, SampleRow(1, "durable").cells()).row;
    load.place(1);
    load.settle();
    RowTransaction lost(slots);
    part->update(lost, row, {1}, {"lost"});
    lost.place(2);
    RowTransaction next(slots);
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
    RowTransaction third(slots);
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

TEST_CASE("a withdrawn transaction is put back below the changes of another, which leaves nothing of it either") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    part->setIndexes({{"key", {0}, true}});
    RowTransaction load(slots);
    const uint64_t row = part->insert(load, SampleRow(1, "durable").cells()).row;
    load.place(1);
    load.settle();
    RowTransaction lost(slots);
    part->update(lost, row, {0}, {SampleRow(2, "").numberCell()});
    const uint64_t inserted = part->insert(lost, SampleRow(3, "lost").cells()).row;
    lost.place(2);
    RowTransaction next(slots);
    REQUIRE(part->update(next, row, {1}, {"on top"}).outcome == RowOutcome::Done);
    REQUIRE(part->update(next, inserted, {1}, {"on top"}).outcome == RowOutcome::Done);
    lost.withdraw();
    lost.abort();
    RowCells cells;
    REQUIRE(part->read(row, {1}, {0, 1}, cells));
    CHECK(numberIn(cells[0]) == 1);
    CHECK(std::string(cells[1]) == "durable");
    next.abort();
    cells.clear();
    REQUIRE(part->read(row, {TransactionSlots::kNewest}, {0, 1}, cells));
    CHECK(numberIn(cells[0]) == 1);
    CHECK(std::string(cells[1]) == "durable");
    CHECK_FALSE(part->read(inserted, {TransactionSlots::kNewest}, {0}, cells));
    part->purge(1);
    CHECK(part->check().empty());
    RowTransaction after(slots);
    CHECK(part->insert(after, SampleRow(2, "").cells()).outcome == RowOutcome::Done);
    CHECK(part->insert(after, SampleRow(3, "").cells()).outcome == RowOutcome::Done);
}

TEST_CASE("a transaction is taken back to a position, part by part, and goes on") {
    TransactionSlots slots;
    auto first = std::make_shared<RowPart>(1, kSampleColumns, slots);
    auto second = std::make_shared<RowPart>(2, kSampleColumns, slots);
    first->setIndexes({{"key", {0}, true}});
    RowTransaction transaction(slots);
    const uint64_t kept = first->insert(transaction, SampleRow(1, "kept").cells()).row;
    const RowTransaction::Position position = transaction.position();
    first->update(transaction, kept, {0, 1}, SampleRow(2, "changed").cells());
    const uint64_t gone = first->insert(transaction, SampleRow(3, "gone").cells()).row;
    second->insert(transaction, SampleRow(4, "gone").cells());
    const int64_t bytes = transaction.bytes();
    transaction.rollbackTo(position);
    CHECK(transaction.bytes() < bytes);
    CHECK(transaction.changes()[0].edits.changes.size() == 1);
    CHECK(transaction.changes()[1].edits.changes.empty());
    CHECK(first->insert(transaction, SampleRow(3, "again").cells()).row == gone);
    CHECK(first->insert(transaction, SampleRow(1, "").cells()).outcome == RowOutcome::Duplicate);
    transaction.place(1);
    transaction.settle();
    RowCells cells;
    REQUIRE(first->read(kept, {1}, {1}, cells));
    CHECK(std::string(cells[0]) == "kept");
    CHECK(first->check().empty());
    CHECK(second->rows({1}).empty());
}
