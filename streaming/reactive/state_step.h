// StateStep is one step of a program that goes on with rows of many keys: an expression over columns, or the states of
// a function that looks back.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/function/function.h"
#include "runtime/kernel/rolling/rolling_states.h"
#include "runtime/table/table.h"

namespace pelorus {

class ExpressionProgram;

// The columns of an append while a program runs over it: those of the input, then one for each result of a step.
using StepColumns = std::vector<Value>;

// A step. Not thread-safe; the engine's turn guards it.
class StateStep {
public:
    virtual ~StateStep() = default;
    // New keys start without rows.
    virtual void resize(int64_t keys) = 0;
    // Computes the results for `rows` rows, row i of key keys[i], and adds them to the columns.
    virtual void run(Context& context, StepColumns& columns, const int32_t* keys, int64_t rows) = 0;
    virtual void clear(const int32_t* keys, int64_t count) = 0;
    // Forgets all keys but these, which are numbered anew in this order. REQUIRES: they ascend.
    virtual void keep(std::span<const int32_t> keys) = 0;
    virtual int64_t memoryBytes() const = 0;
    // How it runs, as "roll mavg(close, 20)".
    virtual std::string describe() const = 0;
    // Returns whether it costs more than a few operations for each row: a function is called.
    virtual bool isSlow() const { return false; }
};

// The arguments of a call: columns of the append by number, or constants.
struct StepArgument {
    std::vector<int> columns;  // one; several for a tuple of columns; none for a constant
    bool isTuple = false;
    Value constant;

    Value of(const StepColumns& all) const;
};

// Adds the result of a step: a column of `rows` elements, a value for all of them, or several columns as a tuple.
// Throws UserError for others.
void addStepResult(StepColumns& columns, Value result, int64_t rows);

// Returns `rows` rows of a column of the same type, to see what a function gives for them: ones, or rows of ten of
// them.
Value madeUpColumn(const Value& column, int64_t rows);
// Returns a result in the type of a column, since functions of scripts may give another one for some rows.
Value asStepColumn(const Value& result, const ColumnSchema& column);

// Makes a step that evaluates an expression; a value for all rows is repeated.
std::unique_ptr<StateStep> makeExpressionStep(ExpressionProgram expression, std::string text);
// Makes a step of rolling states; a function with several results adds as many columns.
std::unique_ptr<StateStep> makeRollingStep(std::unique_ptr<RollingStates> states, std::vector<StepArgument> arguments,
                                           std::string text);
// Makes a step of states that call a function for each row; `make` makes them anew, too, to see the type of the
// results.
std::unique_ptr<StateStep> makeCallingStep(std::function<std::unique_ptr<RollingStates>()> make,
                                           std::vector<StepArgument> arguments, std::string text);
// Makes a step that keeps the last rows of each key, as many as `reach` says (Declaration::reach), and calls the
// function over these and the new ones. A time that falls within a key counts as the latest one before it.
std::unique_ptr<StateStep> makeKeptStep(Ref<Function> function, int64_t reach, std::vector<StepArgument> arguments,
                                        std::string text);

}  // namespace pelorus
