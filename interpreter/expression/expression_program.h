// ExpressionProgram is a bound expression that is ready to run over batches of columns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "interpreter/expression/bound.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

class BatchProgram;

// An expression with one value for each row runs as a batch program; any other is called with whole columns. Immutable:
// copies share the program, threads run it, each with its own context.
class ExpressionProgram {
public:
    // REQUIRES: `expression` is a whole one, as bindExpression makes it.
    ExpressionProgram(BoundRef expression, Context& context);

    const Bound& expression() const { return *expression_; }
    // Returns the numbers of the columns that it reads; `evaluate` takes their vectors in this order.
    const std::vector<int>& columns() const { return expression_->whole->columns; }
    // Returns the number of a plain column, or -1.
    int plainColumn() const { return expression_->plainColumn(); }
    bool isConstant() const { return columns().empty(); }
    // Element i of the result depends on row i only.
    bool isElementwise() const { return expression_->isElementwise; }
    // Whether it costs so little that it runs over all rows before a selection, not after it.
    bool isCheap() const;
    // For elementwise ones: the type of the result over columns of these types, without rows too.
    Type resultType() const { return expression_->type.type; }
    uint8_t resultScale() const { return static_cast<uint8_t>(expression_->type.scale); }
    const NodeRef& code() const { return expression_->whole->code; }

    // Returns the value over `rows` rows: a vector of that length, or the value of any other shape that the expression
    // has (a scalar for an aggregate).
    Value evaluate(Context& context, std::span<const Value> columnValues, int64_t rows) const;
    // Evaluates over a whole table.
    Value evaluate(Context& context, const MemoryTable& table) const;

private:
    Ref<Function> compiled(Context& context) const;
    Value called(const Function& closure, std::span<const Value> columnValues, Context& context) const;

    BoundRef expression_;
    std::shared_ptr<const BatchProgram> program_;  // null for plain columns, and where the code is called
    Ref<Function> closure_;
};

}  // namespace pelorus
