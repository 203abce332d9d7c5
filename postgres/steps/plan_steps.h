// A translated query as steps: each computes one value, mostly a table by a query of the engine, which later steps find
// by its name.
//
// What the engine has no form for (the rows of a sub-query as a list, one value of a sub-query for each row, set
// operations) is a step between two queries. Sub-queries that look at no outer row run once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// The values that the steps of one run have made so far, with the query's parameters: what names in code mean. Names
// that begin with "pg" and no step has are the built-ins of the dialect. Used by one thread.
class StepScope final : public Scope {
public:
    explicit StepScope(const StepScope* outer = nullptr) : outer_(outer) {}

    bool lookup(std::string_view name, Value& value) const override;
    void set(const std::string& name, Value value) { values_[name] = std::move(value); }
    // REQUIRES: a step or parameter has the name.
    Value get(const std::string& name) const;

private:
    const StepScope* outer_;  // lives as long as this one
    std::unordered_map<std::string, Value> values_;
};

struct PointJoin;
struct PointLookup;
struct PointSelect;
class PickedRows;

// One step. Exactly one of `query` and `compute` is set.
struct PlanStep {
    std::string name;
    Ref<Query> query;
    std::function<Value(const StepScope& scope, Context& context)> compute;
    std::string summary;                                  // of `compute`, for explain
    std::shared_ptr<const PointLookup> lookup = nullptr;  // the shape of `query`, if it is that of a look-up by key
    bool opensTable = false;                              // `compute` opens a table, and does nothing else
    std::shared_ptr<const PointSelect> select = nullptr;  // that of a select of few rows
    std::shared_ptr<const PointJoin> join = nullptr;      // that of a join of few rows
    // Of a query that takes all rows of a step before it: the name of that step, and what it takes of them.
    std::pair<std::string, std::shared_ptr<const PickedRows>> picks = {};
};

// Runs the steps in order; `scope` holds their values afterwards. `ran` is told of each step that has run, unless it is
// empty. Throws what a step throws.
using StepRan = std::function<void(const PlanStep& step, const Value& value)>;
void runSteps(std::span<const PlanStep> steps, StepScope& scope, Context& context, const StepRan& ran = {});

// Names of what a run sets before its first step.
std::string parameterName(int number);           // $1 is 1
constexpr const char* kNowName = "pgNow";        // NANOTIMESTAMP: the time at which the statement began, in UTC
constexpr const char* kOneRowName = "pgOneRow";  // a table of one row, for queries without `from`

}  // namespace pelorus::postgres
