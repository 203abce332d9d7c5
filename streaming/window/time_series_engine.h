// TimeSeriesEngine aggregates the rows of each key over windows of time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "streaming/engine/stream_engine.h"
#include "streaming/reactive/key_numbers.h"
#include "streaming/subscription/strands.h"
#include "streaming/window/window_control.h"
#include "streaming/window/window_metrics.h"
#include "streaming/window/window_states.h"

namespace pelorus {

// How a window without rows is filled, for one metric.
struct WindowFill {
    enum class Kind : uint8_t { Null, Last, Value };
    Kind kind = Kind::Null;
    Value value;
};

// The arguments of createTimeSeriesEngine in addition to the options of all engines.
struct TimeSeriesOptions {
    WindowRules rules;
    std::vector<NodeList> metrics;         // for each size of window
    std::vector<std::string> timeColumns;  // one, or a date and a time; none with useSystemTime
    std::vector<std::string> keyColumns;
    std::vector<WindowFill> fills;  // for each result; empty: windows without rows are not shown
    bool useSystemTime = false;
    bool showsStart = false;  // of the window in place of its end
    bool roundTime = true;
    bool showsElapsed = false;
};

class TimeSeriesEngine final : public StreamEngine {
public:
    // Throws UserError for metrics that are no aggregates, unknown columns, and an output with other columns.
    TimeSeriesEngine(Context& context, std::string name, EngineOptions options, TimeSeriesOptions series);
    ~TimeSeriesEngine() override;

    TableSchema statColumns() const override;

protected:
    Ref<MemoryTable> compute(Context& context, const Ref<MemoryTable>& rows) override;
    Ref<MemoryTable> computeDue(Context& context) override;
    std::vector<Value> statValues() override;
    int64_t memoryBytes() override;
    std::vector<std::string> describe() override;
    Ref<MemoryTable> stateByKey() override;

private:
    Ref<Vector> timesOf(Context& context, const MemoryTable& rows) const;
    void begin(int64_t first);
    Ref<MemoryTable> shown(Context& context, std::chrono::steady_clock::time_point begin);
    std::vector<Value> resultsOfShows(Context& context);
    std::vector<Value> resultsOfSlots(Context& context);
    void releaseSlots();
    void fillGaps(std::vector<Value>& results);
    void keep(const MemoryTable& rows);
    void dropClosedRows();
    void planTick();

    const TimeSeriesOptions series_;
    Type timeType_ = Type::Timestamp;
    std::vector<int> timeColumns_, keyColumns_;
    KeyNumbers numbers_;
    WindowControl control_;
    std::vector<WindowMetrics> metrics_;
    std::unique_ptr<WindowStates> states_;  // null where rows of windows are kept
    std::vector<int> usedColumns_;          // those that metrics read
    Ref<MemoryTable> kept_;  // their rows of open windows, and of closed ones until they are dropped; without states_
    int64_t openRows_ = 0;   // of them, when closed ones were dropped last
    TableSchema outputColumns_;
    std::vector<Value> lastResults_;  // by key: its last output row, while gaps are filled by it
    std::vector<int32_t> keys_;       // of the rows of an append
    std::shared_ptr<StrandTask> tick_;
    std::shared_ptr<Strand> strand_;
};

}  // namespace pelorus
