#include "storage/rows/row_edits.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

static RowEdits sample() {
    RowEdits edits{9, {{Type::Int, 0}, {Type::String, 0}, {Type::Decimal64, 4}}, {}};
    for (uint64_t row = 0; row < 3; ++row) {
        RowChange& insert = edits.changes.emplace_back();
        insert.row = row + 1000000;
        insert.columns = {0, 1, 2};
        insert.cells.add(RowCell("abcd"));
        insert.cells.add(row == 1 ? RowCell() : RowCell("some text"));
        insert.cells.add(RowCell("12345678"));
    }
    RowChange& update = edits.changes.emplace_back();
    update.kind = RowChangeKind::Update;
    update.row = 1;
    update.columns = {1};
    update.cells.add(std::string_view("\0", 1));
    edits.changes.push_back({RowChangeKind::Erase, 5, {}, {}});
    return edits;
}

TEST_CASE("changes of rows come back from their bytes") {
    std::string bytes;
    encodeRowEdits(sample(), bytes);
    ByteReader reader(bytes);
    const RowEdits read = decodeRowEdits(reader);
    CHECK(reader.left() == 0);
    CHECK(read.table == 9);
    CHECK(read.columns == sample().columns);
    REQUIRE(read.changes.size() == 5);
    for (size_t i = 0; i < 5; ++i) {
        const RowChange expected = sample().changes[i];
        CHECK(read.changes[i].kind == expected.kind);
        CHECK(read.changes[i].row == expected.row);
        CHECK(read.changes[i].columns == expected.columns);
        REQUIRE(read.changes[i].cells.size() == expected.cells.size());
        for (size_t c = 0; c < expected.cells.size(); ++c) CHECK(read.changes[i].cells[c] == expected.cells[c]);
    }
}

TEST_CASE("damaged changes of rows are refused, wherever the damage is") {
    std::string bytes;
    encodeRowEdits(sample(), bytes);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
        const std::string part = bytes.substr(0, cut);
        ByteReader reader(part);
        CHECK_THROWS_AS(decodeRowEdits(reader), Error);
    }
    int refused = 0;
    for (size_t at = 0; at < bytes.size(); ++at) {
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ 0xff);
        ByteReader reader(flipped);
        // Either it is refused, or it reads as other changes, which name columns that there are, with a cell each.
        try {
            const RowEdits read = decodeRowEdits(reader);
            for (const RowChange& change : read.changes) {
                CHECK(change.cells.size() == change.columns.size());
                for (const int column : change.columns) CHECK(static_cast<size_t>(column) < read.columns.size());
            }
        } catch (const Error&) {
            ++refused;
        }
    }
    CHECK(refused > 0);
}
