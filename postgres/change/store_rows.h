// Stores the rows that statements insert.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "postgres/change/target_table.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// Rows of one table, in the order of its columns and in their types.
struct RowsOfTarget {
    std::shared_ptr<const TargetTable> target;
    Ref<MemoryTable> rows;
};

// Throws SqlError 42501 without the right to insert into the table.
void requireInsert(const TargetTable& target, Context& context);

// Appends rows to different tables: those of stored tables as one transaction, then those of tables in memory. Throws
// SqlError: 23514 for a row that no partition takes, 23505 for a key that is there, 42501 without the right to insert;
// nothing is stored then. With a transaction, `parts` has no row table, and the transaction is committed by the same
// record, before rows of tables in memory are appended; it has ended when this returns.
void storeRows(const std::vector<RowsOfTarget>& parts, Context& context, Transaction* with = nullptr);

// Inserts rows of a row table within a transaction. Throws as storeRows.
void insertRows(const RowsOfTarget& part, Transaction& transaction, Context& context);

// Takes rows that are about to be written; what it throws keeps them from being stored. May be empty.
using TakeRows = std::function<void(const Ref<MemoryTable>& rows)>;

// Stores the rows of a row table whose key no row has, within the transaction of the thread or as one, and returns
// their positions. `key`: the columns of a unique index; none: every unique index counts. Throws SqlError 42P10 without
// such an index, otherwise as storeRows.
std::vector<int32_t> storeNewRows(const RowsOfTarget& part, const std::vector<std::string>& key, Context& context);

}  // namespace pelorus::postgres
