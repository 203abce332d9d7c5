#include "runtime/arrow/arrow_writer.h"

#include <catch2/catch.hpp>

#include "runtime/arrow/packed_buffer.h"
#include "tests/support/mixed_table.h"
#include "tests/unit/runtime/arrow/arrow_bytes.h"

namespace pelorus {

using namespace testing;

TEST_CASE("a table comes back from an Arrow stream as it was, whatever its types") {
    for (const int64_t rows : {1, 7, 70000}) {
        const Ref<MemoryTable> table = mixedTable(rows);
        CHECK(firstDifference(*table, *tableOf(arrowBytes(*table))) == "");
    }
}

TEST_CASE("buffers may be compressed") {
    const Ref<MemoryTable> table = mixedTable(1000);
    const size_t plain = arrowBytes(*table).size();
    for (const int codec : {arrow::kLz4Frame, arrow::kZstd}) {
        arrow::ArrowWriter::Options options;
        options.codec = codec;
        const std::string bytes = arrowBytes(*table, options);
        CHECK(bytes.size() < plain / 2);
        CHECK(firstDifference(*table, *tableOf(bytes)) == "");
    }
}

TEST_CASE("later tables of a stream add their symbols to the dictionary") {
    std::string bytes;
    const Ref<MemoryTable> first = mixedTable(3), second = mixedTable(20);
    arrow::ArrowWriter writer(first->columns(), {}, [&](GatheredBytes&& part) { bytes += part.joined(); });
    writer.write(*first);
    writer.write(*second);
    writer.finish();
    first->append(*second);
    CHECK(firstDifference(*first, *tableOf(bytes)) == "");
}

TEST_CASE("a table without rows keeps its columns") {
    const Ref<MemoryTable> table = MemoryTable::empty(mixedTable(1)->columns());
    const Ref<MemoryTable> back = tableOf(arrowBytes(*table));
    CHECK(back->rowCount() == 0);
    CHECK(firstDifference(*table, *back) == "");
}

TEST_CASE("a column that Arrow has no counterpart of is refused by name") {
    TableSchema schema{{"odd", Type::Any, 0, ""}};
    CHECK_THROWS_WITH(arrow::ArrowWriter(schema, {}, [](GatheredBytes&&) {}),
                      Catch::Contains("The column odd is of type ANY"));
}

}  // namespace pelorus
