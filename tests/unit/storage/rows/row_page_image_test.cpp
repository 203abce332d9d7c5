#include "storage/rows/row_page_image.h"

#include <catch2/catch.hpp>

#include <random>

#include "common/error.h"
#include "storage/rows/row_part.h"

#include "row_samples.h"

using namespace pelorus;

namespace {

// A part with one transaction after the other, whose numbers are given.
struct Part {
    TransactionSlots slots;
    const std::shared_ptr<RowPart> part = std::make_shared<RowPart>(1, kSampleColumns, slots);

    const RowPage& page() const { return *part->pages().at(0); }
    static void commit(RowTransaction& transaction, uint64_t number) {
        transaction.place(number);
        transaction.settle();
    }
    uint64_t insert(int32_t number, const std::string& text, uint64_t at) {
        RowTransaction transaction(slots);
        const uint64_t row = part->insert(transaction, SampleRow(number, text).cells()).row;
        commit(transaction, at);
        return row;
    }
    std::string image(uint64_t number) const {
        std::string bytes;
        RowPageImage::append(page(), {number, 0}, bytes);
        return bytes;
    }
};

// The rows of an image as "slot:number:text " of each.
std::string rowsOf(const std::string& bytes, const RowColumns& columns = kSampleColumns) {
    const TransactionSlots slots;
    RowPage page(columns, slots);
    ByteReader reader(bytes);
    const int used = RowPageImage::load(page, reader, columns, 1);
    CHECK(reader.atEnd());
    std::string rows;
    for (int slot = 0; slot < used; ++slot) {
        RowCells cells;
        if (!page.read(slot, {1, 0}, {0, 1}, cells)) continue;
        rows += std::to_string(slot) + ":" + std::to_string(numberIn(cells[0])) + ":" + std::string(cells[1]) + " ";
    }
    return rows;
}

}  // namespace

TEST_CASE("an image has the rows of its number, whatever was changed since or is being changed") {
    Part part;
    const uint64_t first = part.insert(1, "one", 10), second = part.insert(2, "", 20);
    part.insert(3, "three", 30);
    RowTransaction open(part.slots);
    const SampleRow changed(11, "eleven");
    CHECK(part.part->update(open, first, {0, 1}, changed.cells()).outcome == RowOutcome::Done);
    CHECK(part.part->erase(open, second).outcome == RowOutcome::Done);
    const SampleRow added(4, "four");
    part.part->insert(open, added.cells());
    CHECK(rowsOf(part.image(10)) == "0:1:one ");
    CHECK(rowsOf(part.image(30)) == "0:1:one 1:2: 2:3:three ");
    open.place(40);
    CHECK(rowsOf(part.image(30)) == "0:1:one 1:2: 2:3:three ");
    CHECK(rowsOf(part.image(40)) == "0:11:eleven 2:3:three 3:4:four ");
    open.settle();
    CHECK(rowsOf(part.image(30)) == "0:1:one 1:2: 2:3:three ");
    part.part->purge(40);
    CHECK(rowsOf(part.image(40)) == "0:11:eleven 2:3:three 3:4:four ");
    // A slot that was given back has no row.
    CHECK(rowsOf(part.image(99)) == "0:11:eleven 2:3:three 3:4:four ");
}

TEST_CASE("a page is changed since a number while versions behind it, or without a number, are there") {
    Part part;
    part.insert(1, "one", 10);
    CHECK(RowPageImage::isChangedSince(part.page(), 9));
    CHECK_FALSE(RowPageImage::isChangedSince(part.page(), 10));
    {
        RowTransaction open(part.slots);
        const SampleRow changed(5, "five");
        part.part->update(open, 0, {0, 1}, changed.cells());
        CHECK(RowPageImage::isChangedSince(part.page(), 10));
        open.abort();
        CHECK_FALSE(RowPageImage::isChangedSince(part.page(), 10));
    }
    RowTransaction erasing(part.slots);
    part.part->erase(erasing, 0);
    Part::commit(erasing, 20);
    CHECK(RowPageImage::isChangedSince(part.page(), 10));
    part.part->purge(20);
    CHECK(rowsOf(part.image(20)).empty());
}

TEST_CASE("an image from before a column was added has NULL in it") {
    Part part;
    part.insert(1, "one", 10);
    const std::string bytes = part.image(10);
    const RowColumns more = {{Type::Int, 0}, {Type::String, 0}, {Type::Double, 0}};
    CHECK(rowsOf(bytes, more) == "0:1:one ");
    const TransactionSlots slots;
    RowPage page(more, slots);
    ByteReader reader(bytes);
    RowPageImage::load(page, reader, more, 1);
    RowCells cells;
    REQUIRE(page.read(0, {1, 0}, {2}, cells));
    CHECK(isNullCell(Type::Double, cells[0]));
    CHECK_FALSE(RowPageImage::isChangedSince(page, 1));
}

TEST_CASE("an image with any byte changed or missing is refused or gives rows, and never more than a page") {
    Part part;
    for (int i = 0; i < 40; ++i) part.insert(i, std::string(static_cast<size_t>(i), 'x'), 10);
    const std::string bytes = part.image(10);
    std::mt19937_64 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = bytes;
        if (round % 2 == 0)
            damaged.resize(random() % damaged.size());
        else
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const TransactionSlots slots;
        RowPage page(kSampleColumns, slots);
        ByteReader reader(damaged);
        try {
            const int used = RowPageImage::load(page, reader, kSampleColumns, 1);
            CHECK(used <= RowPage::kRows);
        } catch (const SystemError&) {
            continue;
        }
        for (int slot = 0; slot < RowPage::kRows; ++slot) {
            RowCells cells;
            page.read(slot, {1, 0}, {0, 1}, cells);
        }
    }
}
