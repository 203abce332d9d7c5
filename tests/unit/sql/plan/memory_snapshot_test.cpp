// A table in memory is read through a snapshot of one partition, in blocks or as whole columns.
#include "sql/plan/memory_snapshot.h"

#include <catch2/catch.hpp>

#include "runtime/value/print.h"
#include "sql/plan/row_source.h"
#include "tests/support/script_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a table in memory is one partition of blocks with the bounds that its columns know") {
    ScriptBench bench;
    const RowSource source = sourceOf(tableToRead(bench.run("table(0..99999 as x, take(`a`b, 100000) as s)")));
    CHECK(source.memory() != nullptr);
    CHECK(source.partitioned() == nullptr);
    REQUIRE(source.snapshot->partitions().size() == 1);
    const auto reader = source.snapshot->open(0);
    CHECK(reader->rowCount() == 100000);
    REQUIRE(reader->blockCount() == 2);
    CHECK(reader->blockRows(0) + reader->blockRows(1) == 100000);
    CHECK(reader->read(1, 0).at(0).asLong() == kMemoryBlockRows);
    CHECK(reader->read(1, 1).size() == 100000 - kMemoryBlockRows);
}

TEST_CASE("whole columns are shared with the table, and the first rows of them are slices") {
    ScriptBench bench;
    const Ref<MemoryTable> table = tableToRead(bench.run("table(1..5 as x)"));
    const RowSource source = sourceOf(table);
    REQUIRE(source.whole() != nullptr);
    CHECK(source.whole()->column(0, 5).as<Object>() == table->column(0).as<Object>());
    CHECK(display(source.whole()->column(0, 2)) == "[1,2]");
}

TEST_CASE("columns of mixed values have no blocks") {
    CHECK(hasTupleColumns({{"a", Type::Int}, {"b", Type::Any}}));
    CHECK_FALSE(hasTupleColumns({{"a", Type::Int}, {"b", Type::Symbol}}));
}
