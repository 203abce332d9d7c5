#include <cstring>

#include "runtime/parquet/parquet_library.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus::parquet_file {

using namespace testing;

static std::string bytesOf(int64_t x) {
    return {reinterpret_cast<const char*>(&x), sizeof x};
}

TEST_CASE("pages are told with their first rows and bounds, and values by a Bloom filter") {
    if (!hasParquet()) return;
    ParquetFixture files;
    const int64_t rows = 200'000;
    ParquetWriter::Options options;
    options.filterColumns = {0};
    files.write("t.parquet", numbers(rows), options);
    const auto reader = library().read(UserFiles::machine().openForRead(files.path("t.parquet")));
    const std::vector<Page> pages = reader->pages(0, 0);
    REQUIRE(pages.size() > 1);
    for (const Page& page : pages) {
        REQUIRE(page.statistics.min);
        CHECK(*page.statistics.min == bytesOf(page.firstRow));
        CHECK(page.statistics.nullCount == 0);
    }
    const auto filter = reader->valueFilter(0, 0);
    REQUIRE(filter);
    CHECK(reader->valueFilter(0, 1) == nullptr);
    int64_t wrong = 0;
    for (int64_t x = 0; x < 1000; ++x) {
        REQUIRE(filter->mayHave(bytesOf(x * 200)));
        wrong += filter->mayHave(bytesOf(rows + x));
    }
    CHECK(wrong < 100);  // one in a hundred, as the filter is made
}

}  // namespace pelorus::parquet_file
