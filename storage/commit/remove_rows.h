// Removes all rows of a row table, or the table's rows for good.
#pragma once

#include <cstdint>
#include <functional>

namespace pelorus {

struct StorageParts;

// Erases all rows of a row table as one transaction, after those that change it have ended. Does nothing for a table
// without rows. Throws SystemError when the disk refuses: no row is erased then; UserError as a lock does.
void eraseAllRows(StorageParts& parts, uint64_t table);
// Makes a record that drops the rows of a row table, and forgets them, after the transactions that change it have
// ended. Does nothing for a table without rows. Throws as eraseAllRows.
void dropRows(StorageParts& parts, uint64_t table, const std::function<void(uint64_t number)>& install);

}  // namespace pelorus
