// Bounds and values of a column between the bytes of a Parquet file and elements of the language.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/parquet/column_reader.h"
#include "runtime/parquet/parquet_library.h"
#include "runtime/table/table.h"

namespace pelorus::parquet_file {

// Returns what statistics tell of `rows` values, as elements of the type `given`; unknown bounds where they tell
// nothing. `hasNoNan`: the file has no NaN, which statistics leave out.
BlockBounds boundsFrom(const ReadPlan& plan, Type given, const Statistics& told, int64_t rows, bool hasNoNan);

// Returns the bounds of each block of so many rows of a row group, from those of the pages that overlap it; none
// without pages. REQUIRES: pages begin at ascending rows, the first at 0.
std::vector<BlockBounds> blocksOfPages(const std::vector<Page>& pages, int64_t rows, int64_t blockRows,
                                       const std::function<BlockBounds(const Statistics&, int64_t)>& boundsOf);

// Returns the bytes that stand for a value in the file, if exactly these do; nothing when others may, or when the
// value is NULL or of a type that the column would have to be converted to.
std::optional<std::string> storedBytes(const ReadPlan& plan, Type given, const Value& value);

}  // namespace pelorus::parquet_file
