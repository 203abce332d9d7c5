// Which index of a row table finds the rows that conditions leave, and where in it they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/append/column_constraint.h"
#include "runtime/table/table.h"
#include "storage/rows/row_part.h"

namespace pelorus {

// Returns a column of a row table as its pages have it.
RowColumn rowColumnOf(const ColumnSchema& column);
// Returns the part of a key that the column's values which equal a constant have; nothing when none or several do, or
// it is not known.
std::optional<std::string> keyPartOf(const ColumnSchema& column, const Value& constant);

// The keys in [low, high); without `high` there is no upper end.
struct KeyRange {
    std::string low;
    std::optional<std::string> high;
};

// An index and the ranges of its keys that hold the rows which satisfy constraints, and perhaps others.
struct IndexChoice {
    size_t index = 0;              // its position among the given ones
    size_t columns = 0;            // number of its first columns that the ranges are of
    std::vector<KeyRange> ranges;  // none: no row satisfies the constraints
};

// Chooses the index of whose columns most have few given values; behind these one may have a range. Returns nothing
// when no index has such a first column. `ordinals` are the positions in pages of the columns of `schema`.
std::optional<IndexChoice> chooseIndex(const std::vector<RowIndexDefinition>& indexes, const TableSchema& schema,
                                       const std::vector<int>& ordinals,
                                       const std::vector<ColumnConstraint>& constraints);

// Returns the rows with entries in the ranges, ascending, each once. Nothing when there are more than `limit`.
std::optional<std::vector<uint64_t>> rowsInRanges(const RowKeyIndex& index, const std::vector<KeyRange>& ranges,
                                                  size_t limit);

}  // namespace pelorus
