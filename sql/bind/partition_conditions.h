// partition(col, keys) and sample(col, size) in where: the choice of partitions that a query reads.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// Removes such conditions from `where` and restricts the source to the partitions that they name. Throws UserError for
// a table that is not partitioned, a column that does not partition it, and keys outside of the scheme.
void takePartitionConditions(RowSource& source, NodeList& where, Context& context);

}  // namespace pelorus
