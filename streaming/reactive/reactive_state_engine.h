// ReactiveStateEngine returns one row of results for each row that comes, computed from the rows of its key so far.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "streaming/engine/stream_engine.h"
#include "streaming/reactive/key_numbers.h"
#include "streaming/reactive/state_program.h"

namespace pelorus {

class ExpressionProgram;

// The arguments of createReactiveStateEngine in addition to the options of all engines.
struct ReactiveOptions {
    NodeList metrics;
    std::vector<std::string> keyColumns;
    NodeRef filter;  // null: all rows
    bool showsElapsed = false;
    NodeRef purgeFilter;  // over the columns of the output; null: keys stay
    std::chrono::seconds purgeInterval{0};
};

class ReactiveStateEngine final : public StreamEngine {
public:
    // Compiles the metrics. `context` is that of the call that makes the engine. Throws UserError for metrics that
    // can't be computed, unknown keys, and an output with other columns.
    ReactiveStateEngine(Context& context, std::string name, EngineOptions options, ReactiveOptions reactive);

    ~ReactiveStateEngine() override;

    TableSchema statColumns() const override;

protected:
    Ref<MemoryTable> compute(Context& context, const Ref<MemoryTable>& rows) override;
    std::vector<Value> statValues() override;
    int64_t memoryBytes() override;
    std::vector<std::string> describe() override;
    Ref<MemoryTable> stateByKey() override;

private:
    void notePurge(const MemoryTable& results, const std::vector<int32_t>& keys);
    void purge(Context& context);
    void dropPurged();

    const ReactiveOptions reactive_;
    std::vector<int> keyColumns_;
    KeyNumbers numbers_;
    StateProgram program_;
    std::unique_ptr<ExpressionProgram> purgeFilter_;
    TableSchema outputColumns_;
    std::vector<int32_t> keys_;     // of the rows of an append
    std::vector<int64_t> rows_;     // by key: how many came since it began
    Ref<MemoryTable> lastResults_;  // by key, while keys are purged
    std::vector<int8_t> isKnown_;   // whether the key has a last result
    std::chrono::steady_clock::time_point lastPurge_;
};

}  // namespace pelorus
