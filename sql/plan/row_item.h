// Columns of a result that has one row for each row of its source, and the keys of its order.
#pragma once

#include <cstddef>
#include <string>

#include "interpreter/expression/expression_program.h"

namespace pelorus {

// A column of the result. REQUIRES of `value`: elementwise.
struct RowItem {
    std::string name;
    ExpressionProgram value;

    ColumnSchema schema() const { return {name, value.resultType(), value.resultScale(), ""}; }
};

// A sort key of a top-N query; `item` is its index in the select list.
struct TopKey {
    size_t item;
    bool ascending = true;
    bool nullsGiven = false;
    bool nullsFirst = true;
};

}  // namespace pelorus
