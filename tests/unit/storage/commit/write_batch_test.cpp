#include "storage/commit/write_batch.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("a batch replaces rows when one of its chunks does") {
    WriteBatch batch;
    CHECK(!batch.replacesRows());
    batch.chunks.resize(2);
    CHECK(!batch.replacesRows());
    batch.chunks[1].replaces = ChunkRows::Replaces::Seen;
    CHECK(batch.replacesRows());
    batch.chunks[1].replaces = ChunkRows::Replaces::All;
    CHECK(batch.replacesRows());
}

TEST_CASE("a batch may be committed as long as each of its tables has the entry that the rows were made for") {
    WriteBatch batch;
    CHECK(batch.conditions().empty());
    batch.tables[2] = {"table/dfs://X\nu", 13};
    batch.tables[1] = {"table/dfs://X\nt", 12};
    const auto conditions = batch.conditions();
    REQUIRE(conditions.size() == 2);
    CHECK(conditions[0].key == "table/dfs://X\nt");
    CHECK(conditions[0].revision == 12);
    CHECK(conditions[1].revision == 13);
}
