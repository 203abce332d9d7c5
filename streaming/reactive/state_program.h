// StateProgram computes metrics for rows of many keys as they come: an expression that goes on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "streaming/reactive/state_step.h"

namespace pelorus {

// The metrics of one engine with the states of its keys. Not thread-safe; the engine's turn guards it.
class StateProgram {
public:
    // Compiles the metrics over rows of these columns. Throws UserError as StateCompiler::add.
    StateProgram(const NodeList& metrics, const TableSchema& input, Context& context);

    // Returns how many results each metric has, and their types.
    const std::vector<size_t>& resultsOfMetrics() const { return resultsOfMetrics_; }
    const TableSchema& results() const { return results_; }

    // New keys start without rows.
    void resize(int64_t keys);
    // Takes rows, row i of key keys[i], and returns the results for each row. Throws what functions throw: states may
    // then have taken the rows in part.
    std::vector<Value> step(Context& context, const MemoryTable& rows, const int32_t* keys);
    void clear(const int32_t* keys, int64_t count);
    // Forgets all keys but these, which are numbered anew in this order. REQUIRES: they ascend.
    void keep(std::span<const int32_t> keys);
    int64_t memoryBytes() const;
    // Returns how the metrics run: below each the steps that it adds to those before it, those that are slow marked.
    std::vector<std::string> describe() const;
    int64_t slowSteps() const;
    int64_t stepCount() const { return std::ssize(steps_); }

private:
    // A metric as it was written, and the number of steps up to it.
    struct Metric {
        std::string text;
        size_t endStep;
    };
    std::vector<Metric> metrics_;
    std::vector<std::unique_ptr<StateStep>> steps_;
    std::vector<int> resultColumns_;
    std::vector<size_t> resultsOfMetrics_;
    TableSchema results_;
};

// Returns the expressions of metacode: of one, of a tuple of them, or of the elements of <[a, b]>. Throws UserError,
// naming argument and parameter, for other values.
NodeList metricsOf(const Value& given, int argument, std::string_view name);

}  // namespace pelorus
