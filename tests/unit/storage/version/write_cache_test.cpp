#include "storage/version/write_cache.h"

#include <catch2/catch.hpp>

#include "storage/version/version_set.h"
#include "tests/support/storage_fixture.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> ids(int64_t first, int64_t count) {
    return idRows(1, "/", 0, first, count).rows;
}

// All ids in the order of the parts.
std::vector<int64_t> idsOf(const ChunkVersion& version) {
    std::vector<int64_t> found;
    for (const ChunkPart& part : version.parts) {
        CHECK(part.rows->rowCount() == part.rowCount);
        for (int64_t i = 0; i < part.rowCount; ++i) found.push_back(part.rows->column(0).at(i).integer());
    }
    return found;
}

}  // namespace

TEST_CASE("many small commits leave few runs, with all rows in order") {
    ChunkVersion version;
    for (int64_t i = 0; i < 1000; ++i) {
        appendToWriteCache(version, ids(i, 1));
        REQUIRE(version.parts.size() <= 11);
    }
    CHECK(idsOf(version) == idsFrom(0, 1000));
    CHECK(version.rowCount == 1000);
    CHECK(version.cachedRows == 1000);
    int64_t bytes = 0;
    for (const ChunkPart& part : version.parts) bytes += part.cachedBytes;
    CHECK(bytes == version.cachedBytes);
    CHECK(bytes == 8000);
}

TEST_CASE("a run stops growing at a block's size") {
    ChunkVersion version;
    for (int i = 0; i < 5; ++i) appendToWriteCache(version, ids(i * 40'000, 40'000));
    CHECK(version.parts.size() == 5);
    CHECK(idsOf(version) == idsFrom(0, 200'000));
}

TEST_CASE("rows of other columns are a run of their own") {
    ChunkVersion version;
    appendToWriteCache(version, ids(0, 2));
    const Ref<MemoryTable> wider = ids(2, 2);
    wider->setColumn("price", doubleVector({1, 2}));
    appendToWriteCache(version, wider);
    CHECK(version.parts.size() == 2);
    appendToWriteCache(version, ids(4, 2));
    CHECK(version.parts.size() == 3);
}

TEST_CASE("columns are the same by name, type and scale") {
    const TableSchema schema = {{"a", Type::Int}, {"b", Type::Decimal64, 2}};
    CHECK(sameColumns(schema, schema));
    CHECK(!sameColumns(schema, {{"a", Type::Int}}));
    CHECK(!sameColumns(schema, {{"a", Type::Long}, {"b", Type::Decimal64, 2}}));
    CHECK(!sameColumns(schema, {{"a", Type::Int}, {"c", Type::Decimal64, 2}}));
    CHECK(!sameColumns(schema, {{"a", Type::Int}, {"b", Type::Decimal64, 3}}));
    CHECK(sameColumns({}, {}));
}

TEST_CASE("what strings and arrays take is counted by their elements") {
    ChunkVersion version;
    const auto texts = makeRef<MemoryTable>(std::vector<std::string>{"text"},
                                            std::vector<Value>{stringVector({"abc", "de"}, Type::String)});
    const int64_t width = texts->column(0).vector().width();
    CHECK(appendToWriteCache(version, texts) == 2 * width + 5);
}
