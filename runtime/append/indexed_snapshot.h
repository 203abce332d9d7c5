// Snapshots of tables whose rows are found by indexes, too.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/append/column_constraint.h"

namespace pelorus {

class PartitionReader;

// A TableSnapshot that can be asked for few of its rows. Thread-safe.
class IndexedSnapshot {
public:
    virtual ~IndexedSnapshot() = default;
    // Opens the rows of a partition that satisfy all constraints, and perhaps others, in the order in which the
    // partition has them. Null when no index finds few rows: open the partition then.
    virtual std::unique_ptr<PartitionReader> find(size_t partition,
                                                  const std::vector<ColumnConstraint>& constraints) const = 0;
    // The index by which `find` would look, and its columns whose values the constraints give. Reads no row.
    struct Index {
        std::string name;
        std::vector<int> columns;  // positions in the table
    };
    virtual std::optional<Index> indexFor(const std::vector<ColumnConstraint>& constraints) const = 0;
    // Returns columns of the rows in which other columns equal values (columnEquals), which are not NULL, in the order
    // of the table. Nothing when no index finds few rows, or it is not known which value of a column equals a constant.
    virtual std::optional<std::vector<Value>> lookUp(const std::vector<ColumnConstraint>& equalities,
                                                     const std::vector<int>& columns) const = 0;
    // Returns columns of the rows that satisfy all constraints, and perhaps of others, in the order of the table.
    // Nothing when no index finds few rows. REQUIRES: at least one column.
    virtual std::optional<std::vector<Value>> readFew(const std::vector<ColumnConstraint>& constraints,
                                                      const std::vector<int>& columns) const = 0;
};

}  // namespace pelorus
