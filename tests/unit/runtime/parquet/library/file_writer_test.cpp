#include "runtime/parquet/parquet_library.h"

#include "common/error.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus::parquet_file {

using namespace testing;

TEST_CASE("levels and values are read as they were written, and metadata with them") {
    if (!hasParquet()) return;
    ParquetFixture files;
    Column column;
    column.name = "x";
    column.physical = Physical::Int64;
    column.maxDefinition = 1;
    WriteOptions options;
    options.compression = "zstd";
    options.metadata.emplace_back("key", "value");
    const std::shared_ptr<File> file = UserFiles::machine().create(files.path("t"));
    const auto writer = library().write(file, {column}, options);
    const std::vector<int16_t> definitions{1, 0, 1};
    const std::vector<int64_t> values{5, 7};
    writer->beginRowGroup();
    writer->write(0, 3, definitions.data(), nullptr, values.data());
    writer->endRowGroup();
    CHECK_THROWS_AS(library().read(UserFiles::machine().openForRead(files.path("t"))), SystemError);  // not closed
    writer->close();
    const auto reader = library().read(UserFiles::machine().openForRead(files.path("t")));
    CHECK(reader->metadata("key") == "value");
    CHECK_FALSE(reader->metadata("other"));
    CHECK(reader->rowCount(0) == 3);
    const auto cursor = reader->open(0, 0);
    std::vector<int16_t> levels(8);
    std::vector<int64_t> read(8);
    const Read got = cursor->read(8, levels.data(), nullptr, read.data());
    CHECK(got.levels == 3);
    CHECK(got.values == 2);
    CHECK(read[1] == 7);
    CHECK(levels[1] == 0);
    CHECK(cursor->read(8, levels.data(), nullptr, read.data()).levels == 0);
}

}  // namespace pelorus::parquet_file
