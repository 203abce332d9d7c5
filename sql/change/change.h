// update, delete and insert on tables in memory: DML-01 … DML-04.
#pragma once

#include "runtime/code/query.h"
#include "runtime/function/context.h"

namespace pelorus {

// In place: a change is seen by whoever holds the table. Either all of it happens or nothing.
void executeUpdate(const Query& query, Context& context);
void executeDelete(const Query& query, Context& context);
void executeInsert(const Query& query, Context& context);

}  // namespace pelorus
