// StateCompiler turns metrics into the steps of a StateProgram.
//
// A call of a function that looks back becomes a separate step, and a column in the place of the call; what remains
// is an expression over columns. Functions of scripts become their bodies. Equal parts are one step.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "streaming/reactive/state_step.h"

namespace pelorus {

class BuiltinFunction;
class Closure;
struct Assign;
struct For;
struct If;

// Lives while an engine is made. `context` outlives it; its scope defines the names of the metrics.
class StateCompiler {
public:
    StateCompiler(TableSchema input, Context& context);

    // Compiles a metric and returns the numbers of its result columns. Throws UserError, naming metric and reason, for
    // functions that look ahead, aggregate or write, and for those that have no way to go on row by row.
    std::vector<int> add(const NodeRef& metric);

    // Returns all columns: the input, then one for each result of a step.
    const TableSchema& columns() const { return columns_; }
    size_t stepCount() const { return steps_.size(); }
    std::vector<std::unique_ptr<StateStep>> takeSteps() { return std::move(steps_); }

private:
    // A script function whose body is being compiled.
    struct Frame {
        const Closure* closure;
        std::unordered_map<std::string, NodeRef> variables;
    };
    // A call of a function that looks back: its arguments, and what of them is known when an engine is made.
    struct StateCall {
        std::vector<StepArgument> arguments;
        std::vector<Type> types;
        std::vector<Value> constants;
        std::string text;  // for people
    };
    static constexpr size_t kMaxDepth = 32;
    static constexpr size_t kMaxSteps = 10'000;
    static constexpr int64_t kMaxRounds = 100;

    NodeRef lowered(const NodeRef& node);
    NodeRef loweredName(const Name& name);
    NodeRef loweredCall(const Call& call);
    NodeRef loweredIndex(const Index& index);
    NodeList loweredArguments(const BuiltinFunction& function, const Call& call);
    NodeRef stateCall(const BuiltinFunction& function, const Call& call);
    std::unique_ptr<StateStep> stepOf(const BuiltinFunction& function, StateCall call);
    Ref<Function> functionOf(const Call& call);

    // These compile the body of a script function. A statement that returns sets `result`.
    NodeRef inlined(const Closure& closure, const Call& call);
    void run(const NodeRef& statement, NodeRef& result);
    void assign(const Assign& statement);
    void choose(const If& statement, NodeRef& result);
    void repeat(const For& statement, NodeRef& result);

    bool isConstant(const NodeRef& node, Value& value);
    StepArgument argumentOf(const NodeRef& node);
    // These return the columns of an expression, a new step where there is none; columnOf of one with a single result.
    int columnOf(const NodeRef& node);
    std::vector<int> columnsOf(const NodeRef& node);
    // Returns f(x, y) of a script's function as each(f, x, y); null for other expressions.
    NodeRef calledForEachRow(const Node& node) const;
    // Returns whether a call is given columns of array vectors: it means one row at a time then.
    bool readsArrays(const Node& node) const;
    NodeRef nameOf(int column, SourcePosition position) const;
    NodeRef namesOf(const std::vector<int>& results, SourcePosition position) const;
    // Adds a step, and the columns of its results, whose types a run without rows shows. `source` is its expression
    // over the input.
    std::vector<int> addStep(std::unique_ptr<StateStep> step, const NodeRef& source);
    // Returns an expression with the results of steps as what they were computed from.
    NodeRef asWritten(const NodeRef& node) const;

    Context& context_;
    TableSchema columns_;
    std::vector<NodeRef> sources_;  // of the columns; null for those of the input
    StepColumns probe_;             // the columns, without rows
    std::vector<std::unique_ptr<StateStep>> steps_;
    std::unordered_map<std::string, std::vector<int>> known_;  // results by the source of their expression
    std::vector<Frame> frames_;                                // the innermost last
};

}  // namespace pelorus
