#include "distributed/transaction/placed_batch.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/value/vector.h"
#include "tests/support/cluster_nodes.h"

using namespace pelorus;

namespace {

WriteBatch twoChunks() {
    WriteBatch batch;
    batch.chunks = {chunk("/1", {1, 2}), chunk("/2", {})};
    batch.chunks[0].replaces = ChunkRows::Replaces::Seen;
    batch.chunks[0].seenRows = 5;
    batch.chunks[1].index = {3, 4};
    batch.tables[1] = {"table/dfs://X\nt", 12};
    batch.query = 99;
    return batch;
}

Value tupleOf(std::vector<Value> elements) {
    return Value::of(makeRef<Tuple>(std::move(elements)));
}

// The message with one part of its first chunk exchanged.
Value withPart(size_t part, const Value& other) {
    const Value message = batchToValue(twoChunks(), {true, true});
    std::vector<Value> parts = message.tuple().elements;
    std::vector<Value> chunks = parts[0].tuple().elements;
    std::vector<Value> first = chunks[0].tuple().elements;
    first[part] = other;
    chunks[0] = tupleOf(first);
    parts[0] = tupleOf(chunks);
    return tupleOf(parts);
}

}  // namespace

TEST_CASE("what is sent arrives, and chunks that are not wanted are left out") {
    const WriteBatch read = batchFromValue(batchToValue(twoChunks(), {true, true}));
    REQUIRE(read.chunks.size() == 2);
    CHECK(read.chunks[0].path == "/1");
    CHECK(read.chunks[0].index == std::vector<int>{0});
    CHECK(read.chunks[0].rows->rowCount() == 2);
    CHECK(read.chunks[0].replaces == ChunkRows::Replaces::Seen);
    CHECK(read.chunks[0].seenRows == 5);
    CHECK(read.chunks[1].rows->rowCount() == 0);
    CHECK(read.chunks[1].index == std::vector<int>{3, 4});
    CHECK(read.query == 99);
    CHECK(read.tables.at(1).key == "table/dfs://X\nt");
    CHECK(read.tables.at(1).revision == 12);

    const WriteBatch second = batchFromValue(batchToValue(twoChunks(), {false, true}));
    REQUIRE(second.chunks.size() == 1);
    CHECK(second.chunks[0].path == "/2");
    CHECK(second.tables.size() == 1);
}

TEST_CASE("a message of another shape is refused before anything of it is used") {
    const Value nothing;
    const Value bad[] = {
        nothing,
        Value::ofInt(1),
        tupleOf({}),
        tupleOf({tupleOf({}), tupleOf({})}),
        tupleOf({Value::ofInt(1), tupleOf({}), Value::ofLong(1)}),
        tupleOf({tupleOf({Value::ofInt(1)}), tupleOf({}), Value::ofLong(1)}),
        tupleOf({tupleOf({}), tupleOf({tupleOf({Value::ofLong(1)})}), Value::ofLong(1)}),
        tupleOf({tupleOf({}), tupleOf({}), Value::ofString("1")}),
        withPart(0, Value::ofString("t")),
        withPart(1, Value::ofInt(1)),
        withPart(2, Value::of(Vector::of<int64_t>(Type::Long, {0}))),
        withPart(2, Value::ofInt(0)),
        withPart(3, Value::ofInt(0)),
        withPart(4, Value::ofInt(3)),
        withPart(4, Value::ofInt(-1)),
        withPart(5, Value::ofLong(-1)),
        withPart(5, Value::nullOf(Type::Long)),
    };
    for (const Value& value : bad) CHECK_THROWS_AS(batchFromValue(value), UserError);
    CHECK_NOTHROW(batchFromValue(withPart(4, Value::ofInt(2))));
    CHECK_THROWS_WITH(batchFromValue(nothing), Catch::Contains("transaction"));
}
