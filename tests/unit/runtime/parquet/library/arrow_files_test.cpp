#include "common/error.h"
#include "runtime/memory/budget.h"
#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus::parquet_file {

using namespace testing;

namespace {

// A disk that takes so many bytes.
class FullFile final : public File {
public:
    void append(std::string_view bytes) override {
        left_ -= static_cast<int64_t>(bytes.size());
        if (left_ < 0) throw SystemError("the disk is full");
    }
    void overwrite(int64_t, std::string_view) override {}
    size_t readAt(int64_t, void*, size_t) const override { throw SystemError("the disk is gone"); }
    void sync() override {}
    void reserve(int64_t) override {}
    int64_t size() const override { return 1000; }
    void truncate(int64_t) override {}
    const std::string& path() const override { return path_; }

private:
    int64_t left_ = 100;
    const std::string path_ = "full";
};

}  // namespace

TEST_CASE("errors of files come back through the library") {
    if (!hasParquet()) return;
    CHECK_THROWS_WITH(library().read(std::make_shared<FullFile>()), Catch::Contains("the disk is gone"));
    Column column;
    column.name = "x";
    column.physical = Physical::Double;
    const auto writer = library().write(std::make_shared<FullFile>(), {column}, {});
    const std::vector<double> values(100000, 0.5);
    const auto write = [&] {
        writer->beginRowGroup();
        for (size_t i = 0; i < values.size(); i += 1000) writer->write(0, 1000, nullptr, nullptr, values.data());
        writer->endRowGroup();
        writer->close();
    };
    CHECK_THROWS_WITH(write(), Catch::Contains("the disk is full"));
}

TEST_CASE("memory that the library takes is given back") {
    if (!hasParquet()) return;
    ParquetFixture files;
    files.write("t.parquet", numbers(200000));
    files.load("t.parquet");
    const int64_t before = memory::usedBytes();
    for (int i = 0; i < 5; ++i) files.load("t.parquet");
    CHECK(memory::usedBytes() < before + (int64_t{4} << 20));
}

}  // namespace pelorus::parquet_file
