#include "storage/version/edit.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;
using format::EditKind;

namespace {

Edit edit(EditKind kind, uint64_t chunk = 7) {
    Edit made;
    made.kind = kind;
    made.chunk = chunk;
    return made;
}

std::string encodedEdits(const std::vector<Edit>& edits) {
    std::string bytes;
    encodeEdits(edits, bytes);
    return bytes;
}

std::vector<Edit> decodedEdits(std::string_view bytes, const CipherOf& cipherOf = nullptr) {
    ByteReader reader(bytes);
    std::vector<Edit> edits = decodeEdits(reader, cipherOf);
    CHECK(reader.atEnd());
    return edits;
}

std::vector<Edit> allKinds() {
    std::vector<Edit> edits;
    Edit created = edit(EditKind::ChunkCreated);
    created.table = 3;
    created.path = "/20240102/A";
    created.index = {4, 300};
    edits.push_back(created);
    created.route = 99;
    edits.push_back(created);
    edits.push_back(edit(EditKind::Rows));
    edits.back().rows = trades(0, 3);
    edits.push_back(edit(EditKind::SegmentAdded));
    edits.back().segment = {5, 6, 7, 8};
    edits.push_back(edit(EditKind::RangeMoved));
    edits.back().segment = {5, 6, 7, 8};
    edits.back().firstRow = 1000;
    edits.back().generation = 2;
    edits.push_back(edit(EditKind::ChunkDropped));
    edits.push_back(edit(EditKind::ChunkCleared));
    edits.push_back(edit(EditKind::RowsReplaced));
    edits.back().firstRow = 12;
    edits.push_back(edit(EditKind::ChunkCopied));
    edits.back().changedAt = 1ull << 50;
    edits.push_back(edit(EditKind::MetaWrite, 0));
    edits.back().meta = {"key\n", std::string("v\0w", 3), 0};
    edits.push_back(edit(EditKind::MetaWrite, 0));
    edits.back().meta = {"removed", std::nullopt, 0};
    edits.push_back(edit(EditKind::AppendId, 0));
    edits.back().appendId = "id-1";
    return edits;
}

}  // namespace

TEST_CASE("edits of every kind come back") {
    const std::vector<Edit> made = allKinds(), back = decodedEdits(encodedEdits(made));
    REQUIRE(back.size() == made.size());
    for (size_t i = 0; i < made.size(); ++i) {
        INFO(i);
        CHECK(back[i].kind == made[i].kind);
        CHECK(back[i].chunk == made[i].chunk);
        CHECK(back[i].path == made[i].path);
        CHECK(back[i].index == made[i].index);
        CHECK(back[i].route == made[i].route);
        CHECK(back[i].segment == made[i].segment);
        CHECK(back[i].firstRow == made[i].firstRow);
        CHECK(back[i].generation == made[i].generation);
        CHECK(back[i].changedAt == made[i].changedAt);
        CHECK(back[i].meta.key == made[i].meta.key);
        CHECK(back[i].meta.value == made[i].meta.value);
        CHECK(back[i].appendId == made[i].appendId);
        CHECK((back[i].rows ? back[i].rows->rowCount() : 0) == (made[i].rows ? made[i].rows->rowCount() : 0));
    }
    CHECK(decodedEdits(encodedEdits({})).empty());
}

TEST_CASE("bytes that are cut off, or of a kind that is not known, are an error") {
    const std::string bytes = encodedEdits(allKinds());
    for (size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(decodedEdits(std::string_view(bytes).substr(0, length)), SystemError);
    CHECK_THROWS_WITH(decodedEdits(std::string("\x01\x7f\x01", 3)),
                      "A record of the log has a kind that this version does not know.");
}

TEST_CASE("rows of an encrypted table can be read with its key alone") {
    const auto cipher = std::make_shared<const TableCipher>(3, CipherMode::Aes256Ctr, std::string(32, 'k'));
    Edit sealed = edit(EditKind::Rows);
    sealed.rows = trades(0, 3);
    sealed.cipher = cipher;
    const std::string bytes = encodedEdits({sealed});
    CHECK(bytes.find("IBM") == std::string::npos);
    const std::vector<Edit> back = decodedEdits(bytes, [&](uint64_t table) { return table == 3 ? cipher : nullptr; });
    CHECK(back[0].kind == EditKind::Rows);
    CHECK(back[0].cipher == cipher);
    CHECK(back[0].rows->column(0).at(0).string() == "IBM");
    CHECK_THROWS_WITH(decodedEdits(bytes, [](uint64_t) { return TableCipherRef(); }),
                      "Rows of the table number 3 are encrypted, but its key is lost.");
}
