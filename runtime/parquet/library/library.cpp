// The entry of libpelorus_arrow.so.
#include "runtime/parquet/library/library.h"

#include <memory>

#include "runtime/parquet/library/arrow_files.h"

namespace pelorus::parquet_file {

namespace {

// The library of the process; never destroyed, since files may be read while it ends.
class ArrowLibrary final : public Library {
public:
    explicit ArrowLibrary(ParquetHost& host) : host_(host), pool_(host) {}

    std::unique_ptr<FileReader> read(std::shared_ptr<File> file) override {
        return openReader(host_, pool_, std::move(file));
    }
    std::unique_ptr<FileWriter> write(std::shared_ptr<File> file, const std::vector<Column>& columns,
                                      const WriteOptions& options) override {
        return openWriter(host_, pool_, std::move(file), columns, options);
    }

private:
    ParquetHost& host_;
    ChargedPool pool_;
};

}  // namespace

}  // namespace pelorus::parquet_file

extern "C" __attribute__((visibility("default"))) const char* pelorusParquetInterface() {
    return PELORUS_ARROW_INTERFACE;
}

extern "C" __attribute__((visibility("default"))) pelorus::parquet_file::Library* pelorusParquetLibrary(
    pelorus::parquet_file::ParquetHost* host) {
    return new pelorus::parquet_file::ArrowLibrary(*host);
}
