// Checks that inserted rows have keys that their tables do not have.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "postgres/change/store_rows.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

// A check of the primary keys that tables of columns declare. As long as it lives no other statement of this protocol
// on this node inserts into these tables; scripts and other nodes do not look at such keys.
class KeyCheck {
public:
    // Throws SqlError 23505 for a key that is there, or that two rows have.
    KeyCheck(const std::vector<RowsOfTarget>& parts, Context& context);
    ~KeyCheck();
    KeyCheck(const KeyCheck&) = delete;
    KeyCheck& operator=(const KeyCheck&) = delete;

private:
    class Turns;
    std::unique_ptr<Turns> turns_;  // null: no table has a key
};

// Returns the columns of the table's primary key, in its order; none: it has no key.
std::vector<std::string> keyColumns(const TargetTable& target);
// Throws SqlError 23505 for a key that the table has now, or that two rows have.
void requireFreeKeys(const RowsOfTarget& part, Context& context);
[[noreturn]] void refuseKey(const std::string& table);

// Throws SqlError 23505 where a keyed table in memory has the key of a row, or two rows have one. The caller holds its
// lock.
void requireNewKeys(const MemoryTable& table, const MemoryTable& rows, const std::string& name);

}  // namespace pelorus::postgres
