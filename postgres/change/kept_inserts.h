// KeptInserts holds the rows that a transaction has inserted until it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/change/target_table.h"
#include "runtime/function/context.h"
#include "runtime/table/table_keys.h"

namespace pelorus {
class Transaction;
}

namespace pelorus::postgres {

// The inserted rows of one session. The thread of its connection owns it.
class KeptInserts {
public:
    // Adds rows, in the order of the table's columns and in their types. Throws SqlError 23505 for a primary key that
    // kept rows have; they are unchanged then.
    void add(const std::shared_ptr<const TargetTable>& target, const Ref<MemoryTable>& rows);
    bool isEmpty() const { return parts_.empty(); }
    // Returns whether there are rows of the table.
    bool has(std::string_view schema, std::string_view table) const;
    int64_t bytes() const;

    // A savepoint is set; all but the first `count` savepoints are forgotten; and what came after savepoint `count`,
    // from 1, is taken back.
    void savepoint();
    void release(size_t count);
    void rollbackTo(size_t count);

    // Stores all rows: those of stored tables as one transaction, then those of tables in memory. Throws as storeRows
    // does: nothing is stored then. There are no rows and savepoints afterwards. `with`: the transaction over row
    // tables that is committed with them, as one; null: there is none.
    void commit(Context& context, Transaction* with);
    void drop();

private:
    struct Part {
        std::shared_ptr<const TargetTable> target;
        Ref<MemoryTable> rows;
    };
    void addKeys(const TargetTable& target, const MemoryTable& rows);

    std::vector<Part> parts_;
    std::map<std::string, CompositeKeyIndex>
        keys_;                        // of tables with a primary key, by database and name; made when needed
    std::vector<size_t> savepoints_;  // the number of parts at each
};

}  // namespace pelorus::postgres
