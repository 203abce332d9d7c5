// RowFilter chooses the rows of a stream table that a subscription wants.
#pragma once

#include <memory>
#include <string>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/table/table.h"

namespace pelorus {

// The filter of one subscription: a vector of values, a pair low : high of which high is left out, a tuple (n, i) or
// (n, i : j) of hash buckets, or a function of each append. Immutable; its owner's strand uses it.
class RowFilter {
public:
    virtual ~RowFilter() = default;
    // Returns the chosen rows in their order, under the columns of `rows`. Throws UserError when the function of the
    // user fails or returns other columns.
    virtual Ref<MemoryTable> apply(Context& context, const Ref<MemoryTable>& rows) const = 0;
};

// Makes the filter of a table with these columns, whose filter column may be "". Throws UserError when the filter needs
// a column and there is none, does not fit its type, or is no filter.
std::unique_ptr<RowFilter> makeRowFilter(const Value& filter, const TableSchema& columns,
                                         const std::string& filterColumn, Context& context);

}  // namespace pelorus
