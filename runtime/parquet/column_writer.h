// Writer of vectors of the language as columns of a Parquet file.
#pragma once

#include <cstdint>

#include "runtime/parquet/parquet_library.h"
#include "runtime/value/value.h"

namespace pelorus::parquet_file {

// Writes elements [begin, begin + count) of a vector or array vector as a column of the row group that the writer is
// in. NULL is written as a missing value. REQUIRES: `stored` is storedAs of the column's type; no other thread writes
// the same column.
void writeColumn(FileWriter& writer, int place, const Column& stored, const Value& column, int64_t begin,
                 int64_t count);

}  // namespace pelorus::parquet_file
