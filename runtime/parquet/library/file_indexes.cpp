#include "runtime/parquet/library/file_indexes.h"

#include <parquet/bloom_filter.h>
#include <parquet/schema.h>

#include <utility>

namespace pelorus::parquet_file {

namespace {

namespace pq = ::parquet;

class BloomValues final : public ValueFilter {
public:
    explicit BloomValues(std::unique_ptr<pq::BloomFilter> filter) : filter_(std::move(filter)) {}

    bool mayHave(std::string_view stored) const override { return filter_->FindHash(filter_->Hash(stored)); }

private:
    const std::unique_ptr<pq::BloomFilter> filter_;
};

// Returns whether both indexes are of the same pages, which begin at ascending rows of the row group.
bool agree(const pq::ColumnIndex& bounds, const pq::OffsetIndex& offsets, int64_t rows) {
    const auto& locations = offsets.page_locations();
    const size_t pages = locations.size();
    if (pages == 0 || locations[0].first_row_index != 0) return false;
    if (bounds.null_pages().size() != pages || bounds.encoded_min_values().size() != pages) return false;
    if (bounds.encoded_max_values().size() != pages) return false;
    if (bounds.has_null_counts() && bounds.null_counts().size() != pages) return false;
    for (size_t i = 1; i < pages; ++i) {
        if (locations[i].first_row_index <= locations[i - 1].first_row_index) return false;
    }
    return locations[pages - 1].first_row_index < rows;
}

}  // namespace

std::vector<Page> readPages(pq::PageIndexReader& indexes, const pq::FileMetaData& file, int rowGroup, int leaf) {
    const auto group = file.RowGroup(rowGroup);
    // Where the bounds of the row group are in an order that is not known, so are those of its pages.
    if (!group->ColumnChunk(leaf)->is_stats_set()) return {};
    const auto indexed = indexes.RowGroup(rowGroup);
    if (!indexed) return {};
    const auto bounds = indexed->GetColumnIndex(leaf);
    const auto offsets = indexed->GetOffsetIndex(leaf);
    if (!bounds || !offsets || !agree(*bounds, *offsets, group->num_rows())) return {};
    std::vector<Page> pages(offsets->page_locations().size());
    for (size_t i = 0; i < pages.size(); ++i) {
        const int64_t begin = offsets->page_locations()[i].first_row_index;
        const int64_t end = i + 1 < pages.size() ? offsets->page_locations()[i + 1].first_row_index : group->num_rows();
        pages[i].firstRow = begin;
        Statistics& told = pages[i].statistics;
        if (bounds->has_null_counts()) told.nullCount = bounds->null_counts()[i];
        if (bounds->null_pages()[i]) {
            told.nullCount = end - begin;
        } else {
            told.min = bounds->encoded_min_values()[i];
            told.max = bounds->encoded_max_values()[i];
        }
    }
    return pages;
}

std::unique_ptr<ValueFilter> readValueFilter(pq::BloomFilterReader& filters, const pq::FileMetaData& file, int rowGroup,
                                             int leaf) {
    if (!file.RowGroup(rowGroup)->ColumnChunk(leaf)->bloom_filter_offset()) return nullptr;
    const auto group = filters.RowGroup(rowGroup);
    auto filter = group ? group->GetColumnBloomFilter(leaf) : nullptr;
    return filter ? std::make_unique<BloomValues>(std::move(filter)) : nullptr;
}

}  // namespace pelorus::parquet_file
