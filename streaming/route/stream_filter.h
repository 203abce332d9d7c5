// StreamFilter hands the rows that fulfil a condition to a table or a function, for each of its rules.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interpreter/expression/expression_program.h"
#include "streaming/engine/stream_engine.h"

namespace pelorus {

// What rows go to one taker. Rows fulfil all that is given.
struct FilterRule {
    EngineOutput taker;
    std::vector<std::pair<Value, Value>> timeRanges;  // both ends are in it; one of them must hold; empty: all times
    Value values;                                     // of the condition column, a vector; VOID: all
    NodeList conditions;                              // over the columns
    TableSchema message;                              // the columns of the rows in the messages with this key
};

// The arguments of streamFilter in addition to the options of all engines.
struct FilterOptions {
    std::vector<FilterRule> rules;
    int timeColumn = 0;
    int conditionColumn = -1;    // -1: values are not looked at
    bool takesMessages = false;  // rows are messages of a replay: a time, a key, and the bytes of a row
};

class StreamFilter final : public StreamEngine {
public:
    // Binds the conditions. `context` is that of the call that makes the engine. Throws UserError for conditions that
    // are no expressions over the columns, and for ranges of another type than the times.
    StreamFilter(Context& context, std::string name, EngineOptions options, FilterOptions filter);
    ~StreamFilter() override;

    TableSchema statColumns() const override;

protected:
    Ref<MemoryTable> compute(Context& context, const Ref<MemoryTable>& rows) override;
    std::vector<EngineOutput> outputs() const override;
    std::vector<Value> statValues() override;
    int64_t memoryBytes() override { return 0; }
    std::vector<std::string> describe() override;

private:
    std::vector<int32_t> chosenBy(Context& context, size_t rule, const MemoryTable& rows) const;
    void keepInRanges(const FilterRule& rule, const Value& times, std::vector<int8_t>& chosen) const;
    std::string describeRule(const FilterRule& rule) const;

    const FilterOptions filter_;
    std::vector<std::vector<ExpressionProgram>> conditions_;  // of each rule
};

}  // namespace pelorus
