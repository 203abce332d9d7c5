// WindowMetrics computes aggregates of windows: the rows of all windows that are shown together, grouped by window, as
// a query does it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// The metrics of one size of window. Immutable.
class WindowMetrics {
public:
    // Throws UserError, naming the metric, for what is no expression of aggregates (S03014).
    WindowMetrics(const NodeList& metrics, const TableSchema& input, Context& context);

    // Returns the columns of the results; unnamed ones are named after their place.
    const TableSchema& results() const { return results_; }
    // Returns one row for each window: of the rows whose window has this number; NULL for windows without rows.
    std::vector<Value> compute(Context& context, const MemoryTable& rows, const std::vector<int32_t>& windowOfRow,
                               int64_t windows) const;
    // Returns the query that computes them: it groups these rows by the number of their window.
    Ref<Query> queryOver(const Ref<MemoryTable>& numbered) const;
    // Returns the rows with the numbers of their windows as the column by which the query groups.
    static Ref<MemoryTable> numbered(const MemoryTable& rows, const std::vector<int32_t>& windowOfRow);

private:
    Ref<MemoryTable> grouped(Context& context, const MemoryTable& rows, const std::vector<int32_t>& windowOfRow) const;

    Ref<Query> query_;  // without its table
    TableSchema results_;
};

}  // namespace pelorus
