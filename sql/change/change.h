// update, delete and insert on tables in memory: DML-01 … DML-04.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Changes in place: every holder of the table sees it. Atomic: all rows change or none.
void executeUpdate(const Query& query, Context& context);
void executeDelete(const Query& query, Context& context);
void executeInsert(const Query& query, Context& context);

// Changes rows of a table in memory as the update or delete says, of which `named` is the table that it names; returns
// how many. `matched` gets the numbers of the rows that satisfied the conditions, before a delete; several rows of a
// `from` may match one.
int64_t changeRows(const Query& query, const Table& named, MemoryTable& rows, Context& context,
                   std::vector<int32_t>* matched = nullptr);

}  // namespace pelorus
