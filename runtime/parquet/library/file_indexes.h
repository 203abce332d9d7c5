// The indexes of a Parquet file beside its row groups: of pages, by their bounds, and of values, by Bloom filters.
#pragma once

#include <parquet/bloom_filter_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>

#include <memory>
#include <vector>

#include "runtime/parquet/parquet_library.h"

namespace pelorus::parquet_file {

// Reads the pages of a flat column; none when the file has no index of them, or one that contradicts itself.
std::vector<Page> readPages(::parquet::PageIndexReader& indexes, const ::parquet::FileMetaData& file, int rowGroup,
                            int leaf);

// Reads the Bloom filter of a column; null when the file has none.
std::unique_ptr<ValueFilter> readValueFilter(::parquet::BloomFilterReader& filters, const ::parquet::FileMetaData& file,
                                             int rowGroup, int leaf);

}  // namespace pelorus::parquet_file
