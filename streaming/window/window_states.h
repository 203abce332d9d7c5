// WindowStates computes metrics from the states of their aggregates, one for each open window: rows are added once, as
// they come, and need not be kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/aggregate/reusable_state.h"
#include "runtime/table/table.h"
#include "sql/plan/aggregate_plan.h"
#include "streaming/window/window_metrics.h"

namespace pelorus {

// The states of one engine by slot, with the expressions over their results. Not thread-safe; the engine's turn guards
// it.
class WindowStates {
public:
    // Returns the states of these metrics over rows of these columns; null where an aggregate or an expression needs
    // all rows of a window: one of a script, a median.
    static std::unique_ptr<WindowStates> of(const WindowMetrics& metrics, const TableSchema& input, Context& context);

    // New slots start empty.
    void resize(int64_t slots);
    // Adds row i to slots[i], or to none where that is -1. Throws what arguments of aggregates and sums throw: states
    // may then have taken the rows in part.
    void add(Context& context, const MemoryTable& rows, const std::vector<int32_t>& slots);
    // Returns the columns of the results, with one row for each of these slots.
    std::vector<Value> results(Context& context, const std::vector<int32_t>& slots);
    // Empties slots for other windows.
    void clear(const std::vector<int32_t>& slots);
    int64_t memoryBytes() const;

private:
    // The states of one aggregate.
    struct Aggregate {
        std::vector<ExpressionProgram> arguments;
        std::unique_ptr<ReusableState> open;   // by slot
        std::unique_ptr<ReusableState> shown;  // copies of those whose results are asked for
        std::unique_ptr<ReusableState> empty;  // one group without rows
    };

    WindowStates() = default;
    bool addAggregates(const AggregatePlan& plan);
    bool bindItems(const AggregatePlan& plan, const TableSchema& expected, Context& context);

    std::vector<Aggregate> aggregates_;
    std::vector<ExpressionProgram> items_;  // over the results of the aggregates
    std::vector<int32_t> zeros_, places_;   // 0, 0, … and 0, 1, … for copies of states
};

}  // namespace pelorus
