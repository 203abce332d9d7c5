// The parts of libpelorus_arrow.so.
#pragma once

#include <memory>
#include <vector>

#include "runtime/parquet/library/arrow_files.h"
#include "runtime/parquet/parquet_library.h"

namespace pelorus::parquet_file {

std::unique_ptr<FileReader> openReader(ParquetHost& host, ChargedPool& pool, std::shared_ptr<File> file);
std::unique_ptr<FileWriter> openWriter(ParquetHost& host, ChargedPool& pool, std::shared_ptr<File> file,
                                       const std::vector<Column>& columns, const WriteOptions& options);

}  // namespace pelorus::parquet_file
