#include <numeric>

#include "runtime/parquet/parquet_library.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus::parquet_file {

using namespace testing;

TEST_CASE("a cursor that skips any rows of many pages goes on at the right one") {
    if (!hasParquet()) return;
    ParquetFixture files;
    const int64_t rows = 300'000;
    files.write("t.parquet", numbers(rows));
    const auto reader = library().read(UserFiles::machine().openForRead(files.path("t.parquet")));
    REQUIRE(reader->rowGroupCount() == 1);
    REQUIRE(reader->pages(0, 0).size() > 2);
    const auto cursor = reader->open(0, 0);
    std::vector<int16_t> definitions(50'000);
    std::vector<int64_t> values(50'000);
    int64_t position = 0;
    for (const int64_t skipped : {0, 1, 70'000, 3, 20'001, 0, 131'072}) {
        cursor->skip(skipped);
        position += skipped;
        for (int64_t left = 5'000; left > 0;) {
            const Read got = cursor->read(left, definitions.data(), nullptr, values.data());
            REQUIRE(got.levels > 0);
            REQUIRE(got.values == got.levels);
            for (int64_t i = 0; i < got.values; ++i) REQUIRE(values[static_cast<size_t>(i)] == position + i);
            position += got.levels;
            left -= got.levels;
        }
    }
    cursor->skip(rows);
    CHECK(cursor->read(1, definitions.data(), nullptr, values.data()).levels == 0);
}

}  // namespace pelorus::parquet_file
