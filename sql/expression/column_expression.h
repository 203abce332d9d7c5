// An expression of a query over the columns of its source.
//
// Names are columns first, then variables of the caller's scope, then functions. Subexpressions without a
// column are evaluated once. An elementwise expression whose type is known runs batch by batch
// (interpreter/expression); everything else is compiled for the interpreter's machine and called with whole column
// vectors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "interpreter/bytecode/closure.h"
#include "interpreter/expression/batch_program.h"
#include "runtime/code/column_name.h"
#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/registry/type_rules.h"
#include "runtime/table/table.h"

namespace pelorus {

class ColumnExpression {
public:
    // Throws UserError for names that nothing defines, with the nearest column.
    ColumnExpression(const NodeRef& node, const TableSchema& columns, Context& context);

    // Returns the positions in the schema of the columns it reads; `evaluate` takes their vectors in this order.
    const std::vector<int>& columns() const { return columns_; }
    // Returns the position of a plain column, or -1.
    int plainColumn() const { return plainColumn_; }
    bool isConstant() const { return columns_.empty(); }
    // Element i of the result depends on row i only.
    bool isElementwise() const { return elementwise_; }
    // Whether it costs so little that it runs over all rows before a selection, not after it.
    bool isCheap() const { return program_ && program_->isCheap(); }
    // For elementwise ones: the type of the result over columns of these types, without rows too.
    Type resultType() const { return type_.type; }
    uint8_t resultScale() const { return static_cast<uint8_t>(type_.scale); }
    const NodeRef& node() const { return node_; }

    // Returns the value over `rows` rows: a vector of that length, or the value of any other shape that the expression
    // has (a scalar for an aggregate).
    Value evaluate(Context& context, std::span<const Value> columnValues, int64_t rows) const;
    // Evaluates over a whole table.
    Value evaluate(Context& context, const MemoryTable& table) const;

private:
    Ref<Closure> compiled(Context& context) const;

    NodeRef node_;
    std::vector<int> columns_;
    int plainColumn_ = -1;
    bool elementwise_ = false;
    ResultType type_;
    std::vector<std::string> names_;  // of its columns
    std::unique_ptr<BatchProgram> program_;
    Ref<Closure> closure_;
};

// Sets `value` to that of a subexpression that reads no column, as `d[0]` of a variable d; false for all others, and
// where it has none.
bool constantValue(const Node& node, const TableSchema& columns, Context& context, Value& value);
// Replaces such subexpressions by constants.
NodeRef withConstants(const NodeRef& node, const TableSchema& columns, Context& context);

// Calls f for every Name node of an expression, except in inner queries and lambdas.
void forEachName(const Node& node, const std::function<void(const Name&)>& f);

// Throws UserError at the position of the first name that is neither column, variable nor function.
void requireKnownNames(const Node& node, const TableSchema& columns, Context& context);

// Whether the expression contains a call of an aggregate that is not inside another function of whole vectors.
bool holdsAggregate(const Node& node, Context& context);
// Whether it calls aggregates or functions that depend on the order of rows.
bool readsOtherRows(const Node& node, Context& context);
// Returns the function that a call names, as variable or built-in; null when it is none.
Ref<Function> calledFunction(const Call& call, Context& context);

}  // namespace pelorus
