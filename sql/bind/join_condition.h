// Condition of a join by a clause: which columns must be equal, and which rows of a side may match at all.
#pragma once

#include <string>

#include "runtime/code/query.h"
#include "runtime/table/table.h"
#include "sql/keys/join_keys.h"

namespace pelorus {

// a.x = b.y and a.z = b.w and b.v > 1
struct JoinCondition {
    JoinColumns keys;
    NodeList leftFilters, rightFilters;  // parts that read one side only
};

// Splits the condition after `on`; nothing is computed. Throws UserError when a part is neither an equality between
// the tables nor a filter of one of them, and when no column of each is compared.
JoinCondition joinCondition(const NodeRef& on, const TableSchema& left, const TableSchema& right,
                            const std::string& rightName);

}  // namespace pelorus
