// Filters by which partitions tell values that they do not have.
#pragma once

#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// A partition with filters over its values, such as the Bloom filters of a file: a PartitionReader that can be asked
// before it is read. Thread-safe.
class ValueFilters {
public:
    virtual ~ValueFilters() = default;
    // Returns false only when no row has one of these values in the column. May read a filter from disk, so that it is
    // asked once for a query. Throws SystemError when that fails.
    virtual bool mayHaveAny(int column, const std::vector<Value>& values) const = 0;
};

}  // namespace pelorus
