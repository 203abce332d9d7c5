// The one door through which rows come into tables: append!, tableInsert, insert into, unionAll, replay, subscriptions
// and stream engines append by these functions.
#pragma once

#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Appends to a table in memory in place (made unique first, locked when shared), to a partitioned one as one
// transaction, or hands the rows to the sink of a table that stores none. Rows outside of all partitions are dropped,
// with one notice to the session. Asks for the right to insert into partitioned tables; callers ask for that to shared
// ones. Throws UserError when columns do not fit; then nothing has changed.
AppendReport appendToTable(Context& context, Value& target, const MemoryTable& rows);

// Appends to the table itself, whoever else has it. Wakes the readers of a stream table, and removes the rows that it
// has no room for. Asks for no right. Throws as MemoryTable::append does.
int64_t appendToMemory(MemoryTable& table, const MemoryTable& rows);

// Makes a stream table of a table that nobody else has; its rows get the numbers from 0.
void makeStream(MemoryTable& table);

// Returns how many columns a writer of the table passes: a stream table may fill its last one with the time.
int writtenColumns(const Table& table);

}  // namespace pelorus
