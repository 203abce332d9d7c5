// BatchProgram is an elementwise expression compiled for batches of rows: block programs over numbers and times, with
// calls of other functions inside and between them.
//
// It is immutable; threads share it, each with its own context.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "interpreter/expression/bound.h"
#include "runtime/kernel/block/block_program.h"
#include "runtime/kernel/lookup/membership.h"

namespace pelorus {

// Returns the result of a part as a vector with one element of its type for each row: a scalar is repeated for all
// rows.
Value valuesFor(Value given, const ResultType& type, int64_t rows);

// The compiled expression, a list of steps over whole batches.
class BatchProgram {
public:
    // Compiles an expression. `columns` are the numbers of the columns that `run` gets, in this order; `parameters` is
    // the number of scalars.
    BatchProgram(const BoundRef& expression, const std::vector<int>& columns, size_t parameters = 0);

    // Returns one value for each row; `parameters` are the values of the expression's parameters. Throws what the
    // functions throw. REQUIRES: there is one column or more.
    Value run(Context& context, std::span<const Value> columns, int64_t rows,
              std::span<const Value> parameters = {}) const;

    // Returns whether the whole program is one block program, which materializes only the result in full length.
    bool isOnePass() const { return steps_.size() == 1 && steps_[0].program; }
    // Returns whether the program costs little: one pass without a call.
    bool isCheap() const { return isOnePass() && !steps_[0].program->hasCalls(); }

private:
    struct Operand {
        enum class Source : uint8_t { Column, Step, Constant, Scalar };
        Source source = Source::Constant;
        size_t index = 0;
        Value constant;
    };
    // A step for all rows at once: a block program over its operands, or the operation of `part`.
    struct Step {
        BoundRef part;
        std::unique_ptr<BlockProgram> program;
        std::unique_ptr<Membership> among;  // the set in which `in` searches its left side
        std::vector<Operand> operands;
    };
    // A step that depends on parameters alone: functions see the scalar that a script passes them, and it is computed
    // once.
    struct ScalarStep {
        BoundRef part;
        std::vector<Operand> operands;
    };
    // A block program under construction, and the parts that it contains.
    struct Growing {
        Step step;
        std::unordered_map<const Bound*, BlockProgram::Register> registers;
    };
    using Columns = std::vector<int>;

    Operand lower(const BoundRef& part, const Columns& columns);
    // Returns the number of a scalar among the parameters and the values computed from them.
    size_t scalarOf(const BoundRef& part);
    BlockProgram::Register add(Growing& to, const BoundRef& part, const Columns& columns);
    BlockProgram::Register addOperation(Growing& to, const Bound& part, const Columns& columns);
    BlockProgram::Register addCall(Growing& to, const Bound& part, const Columns& columns);
    BlockProgram::Register addInput(Growing& to, const BoundRef& part, Type type, const Columns& columns);

    std::vector<ScalarStep> scalarSteps_;  // scalars that follow the parameters, in order
    size_t parameters_;
    std::vector<Step> steps_;
    std::unordered_map<const Bound*, Operand> lowered_;
    Operand result_;
    ResultType type_;
};

}  // namespace pelorus
