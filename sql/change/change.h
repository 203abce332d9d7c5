// update, delete and insert on tables in memory: DML-01 … DML-04.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// Changes in place: every holder of the table sees it. Atomic: all rows change or none.
void executeUpdate(const Query& query, Context& context);
void executeDelete(const Query& query, Context& context);
void executeInsert(const Query& query, Context& context);

}  // namespace pelorus
