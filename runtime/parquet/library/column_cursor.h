// Cursors over the columns of row groups, which skip the pages that nobody reads.
#pragma once

#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <memory>

#include "runtime/parquet/parquet_library.h"

namespace pelorus::parquet_file {

// Opens a cursor at the first value of a column. Throws Arrow's errors; the cursor calls `host` with them.
std::unique_ptr<ColumnCursor> openCursor(ParquetHost& host, std::shared_ptr<::parquet::RowGroupReader> group, int leaf,
                                         const ::parquet::ReaderProperties& properties);

}  // namespace pelorus::parquet_file
