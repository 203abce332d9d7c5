#include "runtime/parquet/parquet_file.h"

#include <cstdlib>
#include <random>

#include "common/error.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

using namespace testing;
using parquet_file::OpenFiles;
using parquet_file::ParquetFile;

TEST_CASE("statistics are bounds, exact ones of integers and times") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("t.parquet", mixedTable(100));
    const auto open = std::make_shared<OpenFiles>(UserFiles::machine());
    const ParquetFile file(*open, files.path("t.parquet"));
    const BlockBounds ints = file.bounds(0, file.findColumn("c4"));
    REQUIRE(ints.known);
    CHECK(ints.isExact);
    CHECK(ints.min.integer() == 0);
    CHECK(ints.max.integer() == 98);
    CHECK(ints.nullCount == 20);
    const BlockBounds reals = file.bounds(0, file.findColumn("c16"));
    REQUIRE(reals.known);
    CHECK_FALSE(reals.isExact);
    CHECK(reals.nullCount == 20);  // our files have no NaN, which would be NULL and which no statistics tell of
    CHECK_FALSE(file.bounds(0, file.findColumn("listInt")).known);
}

TEST_CASE("a Parquet file with flipped bits gives rows or an error that names it") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("t.parquet", mixedTable(60));
    const std::string good = readWholeFile(UserFiles::machine(), files.path("t.parquet"));
    const int rounds = std::getenv("PELORUS_FULL") != nullptr ? 20000 : 300;
    std::mt19937 random(5);
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
        std::string bytes = good;
        for (size_t flips = 1 + random() % 3; flips > 0; --flips) {
            char& byte = bytes[random() % bytes.size()];
            byte = static_cast<char>(byte ^ 1 << random() % 8);
        }
        if (round % 10 == 0) bytes.resize(random() % bytes.size());
        UserFiles::machine().create(files.path("bad.parquet"))->append(bytes);
        try {
            files.load("bad.parquet");
        } catch (const memory::OutOfMemory&) {
            ++refused;
        } catch (const Error& error) {
            ++refused;
            CHECK_THAT(error.what(), Catch::Contains("bad.parquet"));
        }
    }
    CHECK(refused > rounds / 4);
}

}  // namespace pelorus
