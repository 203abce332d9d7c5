// Columns of a result: as they are written, and bound over the columns of an operator's input.
#pragma once

#include <string>
#include <vector>

#include "interpreter/expression/expression_program.h"
#include "runtime/code/expression.h"

namespace pelorus {

// A column of a result as it is written: its names (several for a function with several results) and its expression.
struct OutputItem {
    std::vector<std::string> names;
    NodeRef value;
    bool named = false;  // by `as`
};

// The same, bound over the columns of the input of the operator that computes it.
struct BoundItem {
    OutputItem written;  // explain shows it, and other nodes are sent it
    ExpressionProgram value;

    const std::vector<std::string>& names() const { return written.names; }
};

// A key of an order of rows, bound over the columns of the operator's input.
struct OrderExpression {
    ExpressionProgram value;
    bool ascending = true;
    bool nullsGiven = false;
    bool nullsFirst = true;
};

}  // namespace pelorus
