#include "runtime/append/append_rows.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/stream/stream_log.h"

namespace pelorus {

namespace {

MemoryTable numbers(std::vector<int64_t> elements) {
    return MemoryTable({"x"}, {Value::of(Vector::of(Type::Long, elements))});
}

struct SlowReader final : StreamListener {
    void rowsCame() override {}
    int64_t position() const override { return 0; }
    std::string describe() const override { return "reader"; }
    std::thread::id runner() const override { return {}; }
};

}  // namespace

TEST_CASE("a stream table with a bound keeps half of it, and numbers go on") {
    MemoryTable table = numbers({});
    makeStream(table);
    table.stream->setBounds({.rows = 4});
    REQUIRE(appendToMemory(table, numbers({0, 1, 2, 3})) == 4);
    REQUIRE(table.rowCount() == 4);
    REQUIRE(appendToMemory(table, numbers({4})) == 1);
    REQUIRE(table.rowCount() == 3);
    REQUIRE(table.stream->first() == 2);
    REQUIRE(table.column(0).vector().asLong(0) == 2);
}

TEST_CASE("rows that a reader needs are not purged") {
    MemoryTable table = numbers({});
    makeStream(table);
    table.stream->setBounds({.rows = 2});
    const auto reader = std::make_shared<SlowReader>();
    table.stream->listen(reader);
    appendToMemory(table, numbers({0, 1, 2, 3}));
    appendToMemory(table, numbers({4}));
    REQUIRE(table.stream->first() == 0);
    REQUIRE(table.rowCount() == 5);
}

TEST_CASE("the last column of a stream table may be the time of arrival") {
    MemoryTable table({"x", "at"}, {Value::of(Vector::of(Type::Long, std::vector<int64_t>{})),
                                    Value::of(Vector::make(Type::Timestamp, 0))});
    makeStream(table);
    table.stream->stampArrival();
    REQUIRE(writtenColumns(table) == 1);
    appendToMemory(table, numbers({7}));
    REQUIRE_FALSE(table.column(1).vector().isNullAt(0));
    REQUIRE_THROWS_AS(appendToMemory(table, MemoryTable()), UserError);
    REQUIRE(table.stream->total() == 1);
}

TEST_CASE("a table that becomes a stream counts the rows that it has") {
    MemoryTable table({"x"}, {Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2}))});
    makeStream(table);
    REQUIRE(table.stream->total() == 2);
    REQUIRE(table.stream->endOfAppend(0) == 2);
}

}  // namespace pelorus
