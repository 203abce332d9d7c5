#include "runtime/arrow/c_export.h"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/mixed_table.h"
#include "tests/unit/runtime/arrow/c_arrays.h"

namespace pelorus {

using namespace testing;

TEST_CASE("a table comes back from the C interface as it was, whatever its types") {
    for (const int64_t rows : {0, 1, 7, 1000}) {
        const Ref<MemoryTable> table = rows == 0 ? MemoryTable::empty(mixedTable(1)->columns()) : mixedTable(rows);
        CHECK(firstDifference(*table, *importedAgain(table)) == "");
    }
}

TEST_CASE("long tables come in batches, whose symbols have one dictionary") {
    auto table = makeRef<MemoryTable>();
    table->setColumn("x", mixedColumn(Type::Double, 0, arrow::kExportedRows + 3));
    table->setColumn("s", mixedColumn(Type::Symbol, 0, arrow::kExportedRows + 3));
    arrow::CStream stream{};
    arrow::exportStream(table, stream);
    arrow::CArray first{}, second{}, end{};
    REQUIRE(stream.next(&stream, &first) == 0);
    REQUIRE(stream.next(&stream, &second) == 0);
    REQUIRE(stream.next(&stream, &end) == 0);
    stream.release(&stream);
    CHECK(end.release == nullptr);
    CHECK(second.length == 3);
    CHECK(first.children[0]->buffers[1] == table->column(0).vector().raw());
    CHECK(first.children[1]->dictionary->buffers[2] == second.children[1]->dictionary->buffers[2]);
    first.release(&first);
    // The arrays live longer than the table, the stream and each other, and are released by any thread.
    table = Ref<MemoryTable>();
    CHECK(static_cast<const double*>(second.children[0]->buffers[1])[0] == (1 << 20) * 0.5 - 3);
    arrow::CArray taken = *second.children[1];
    second.children[1]->release = nullptr;
    std::thread([&] { second.release(&second); }).join();
    CHECK(taken.dictionary->length == 7);
    taken.release(&taken);
}

TEST_CASE("a column that Arrow has no counterpart of is refused before there is a stream") {
    auto table = makeRef<MemoryTable>();
    table->setColumn("odd", Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofInt(1)})));
    arrow::CStream stream{};
    CHECK_THROWS_WITH(arrow::exportStream(table, stream), Catch::Contains("odd"));
    CHECK(stream.release == nullptr);
}

}  // namespace pelorus
