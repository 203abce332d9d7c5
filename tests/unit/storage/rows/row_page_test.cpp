#include "storage/rows/row_page.h"

#include <catch2/catch.hpp>

#include <deque>

#include "row_samples.h"

using namespace pelorus;

namespace {

// A page and the before-images of its changes.
struct PageFixture {
    TransactionSlots slots;
    RowPage page{kSampleColumns, slots};
    std::deque<UndoRecord> undo;

    RowOutcome change(RowStamp tag, int slot, RowChangeKind kind, std::vector<int> columns,
                      const std::vector<RowCell>& cells, uint64_t seen = TransactionSlots::kNewest) {
        UndoRecord& record = undo.emplace_back();
        record.slot = slot;
        record.kind = kind;
        record.columns = std::move(columns);
        RowPage::Met met;
        const RowOutcome outcome = page.change(tag, seen, cells, record, met);
        if (outcome != RowOutcome::Done) undo.pop_back();
        return outcome;
    }
    // Inserts and commits a row.
    void insert(int slot, const SampleRow& row, uint64_t number) {
        const RowStamp tag = slots.begin();
        REQUIRE(change(tag, slot, RowChangeKind::Insert, {0, 1}, row.cells()) == RowOutcome::Done);
        slots.place(tag, number);
        page.stamp(slot, tag, number);
        slots.end(tag);
    }
    std::string text(int slot, const RowView& view) const {
        RowCells cells;
        return page.read(slot, view, {1}, cells) ? std::string(cells[0]) : "none";
    }
};

}  // namespace

TEST_CASE_METHOD(PageFixture, "a reader sees the version of its number through any number of changes") {
    insert(3, {1, "first"}, 10);
    const RowStamp tag = slots.begin();
    CHECK(change(tag, 3, RowChangeKind::Update, {1}, {"second"}) == RowOutcome::Done);
    CHECK(change(tag, 3, RowChangeKind::Update, {1}, {"third"}) == RowOutcome::Done);
    CHECK(change(tag, 3, RowChangeKind::Erase, {}, {}) == RowOutcome::Done);
    CHECK(text(3, {9}) == "none");
    CHECK(text(3, {10}) == "first");
    CHECK(text(3, {50}) == "first");
    CHECK(text(3, {10, tag}) == "none");
    slots.place(tag, 20);
    CHECK(text(3, {19}) == "first");
    CHECK(text(3, {20}) == "none");
    page.stamp(3, tag, 20);
    slots.end(tag);
    CHECK(text(3, {19}) == "first");
    CHECK(text(3, {20}) == "none");
    CHECK_FALSE(page.vacate(3));
    for (auto record = undo.rbegin(); record != undo.rend(); ++record) page.cut(*record);
    CHECK(page.vacate(3));
}

TEST_CASE_METHOD(PageFixture, "before-images put back newest first leave what was there") {
    insert(0, {1, "first"}, 10);
    const RowStamp tag = slots.begin();
    const SampleRow other(2, "a longer text than before");
    change(tag, 0, RowChangeKind::Update, {0, 1}, other.cells());
    change(tag, 0, RowChangeKind::Erase, {}, {});
    slots.markAborted(tag);
    CHECK(text(0, {10}) == "first");
    page.putBack(undo[2]);
    page.putBack(undo[1]);
    slots.end(tag);
    CHECK(text(0, {10}) == "first");
    CHECK(page.rowCount({10}) == 1);
}

TEST_CASE_METHOD(PageFixture, "a row of another transaction is busy, a newer one changed") {
    insert(0, {1, "first"}, 10);
    const RowStamp one = slots.begin(), two = slots.begin();
    CHECK(change(one, 0, RowChangeKind::Update, {1}, {"x"}, 9) == RowOutcome::Changed);
    CHECK(change(one, 0, RowChangeKind::Update, {1}, {"x"}, 10) == RowOutcome::Done);
    CHECK(change(two, 0, RowChangeKind::Update, {1}, {"y"}) == RowOutcome::Busy);
    slots.place(one, 11);
    CHECK(change(two, 0, RowChangeKind::Update, {1}, {"y"}, 10) == RowOutcome::Changed);
    CHECK(change(two, 0, RowChangeKind::Update, {1}, {"y"}) == RowOutcome::Done);
    // The first stamps its version, which is a before-image now.
    page.stamp(0, one, 11);
    slots.end(one);
    CHECK(text(0, {11}) == "x");
    CHECK(change(two, 5, RowChangeKind::Erase, {}, {}) == RowOutcome::Changed);
}

TEST_CASE_METHOD(PageFixture, "columns are copied as the rows of the view have them") {
    for (int slot = 0; slot < 8; ++slot) insert(slot, {slot, "t" + std::to_string(slot)}, 10);
    const RowStamp tag = slots.begin();
    const SampleRow other(99, "other");
    change(tag, 2, RowChangeKind::Update, {0, 1}, other.cells());
    change(tag, 4, RowChangeKind::Erase, {}, {});
    const auto numbers = [&](const RowView& view) {
        const int64_t rows = page.rowCount(view);
        const Ref<Vector> values = Vector::make(Type::Int, rows);
        const Ref<Vector> texts = Vector::make(Type::String, rows);
        CHECK(page.copyColumn(view, 0, *values, 0) == rows);
        CHECK(page.copyColumn(view, 1, *texts, 0) == rows);
        std::vector<int> all(values->data<int32_t>(), values->data<int32_t>() + rows);
        for (int64_t i = 0; i < rows; ++i) {
            const std::string expected =
                all[static_cast<size_t>(i)] == 99 ? "other" : "t" + std::to_string(all[static_cast<size_t>(i)]);
            CHECK(texts->string(i) == expected);
        }
        return all;
    };
    CHECK(numbers({10}) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(numbers({10, tag}) == std::vector<int>{0, 1, 99, 3, 5, 6, 7});
    slots.place(tag, 12);
    page.stamp(2, tag, 12);
    page.stamp(4, tag, 12);
    CHECK(numbers({12}) == std::vector<int>{0, 1, 99, 3, 5, 6, 7});
    CHECK(numbers({11}) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
    // A column that is added is NULL.
    RowColumns more = kSampleColumns;
    more.push_back({Type::Int, 0});
    page.addColumns(more);
    const Ref<Vector> added = Vector::make(Type::Int, 8);
    CHECK(page.copyColumn({10}, 2, *added, 0) == 8);
    CHECK(added->isNullAt(0));
    std::vector<int> live;
    page.slots({12}, live);
    CHECK(live == std::vector<int>{0, 1, 2, 3, 5, 6, 7});
}

TEST_CASE_METHOD(PageFixture, "texts that are written again and again do not grow the page") {
    insert(0, {1, std::string(5000, 'a')}, 1);
    insert(1, {1, "kept"}, 1);
    for (int i = 0; i < 2000; ++i)
        page.load(0, RowChangeKind::Update, 2, kSampleColumns, {1},
                  {std::string(5000, static_cast<char>('a' + i % 26))});
    CHECK(text(0, {2}) == std::string(5000, static_cast<char>('a' + 1999 % 26)));
    CHECK(text(1, {2}) == "kept");
    CHECK(page.textBytes() < 3 * 5000);
}
