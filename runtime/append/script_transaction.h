// ScriptTransaction is what the transaction block of a script does to stored tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/append/table_transaction.h"
#include "runtime/table/stored_table.h"
#include "runtime/table/table.h"

namespace pelorus {

class RowAccess;

// The part that stored tables have in `transaction { … }`: one transaction over row tables, which begins with the first
// change of one, and the rows that are appended to tables of columns, which are kept until the end and stored by its
// commit. A block that begins while another one lives, in a function that the other calls, is a part of it, which can
// be taken back alone. Made and ended by the thread of the script, whose statements belong to it, the last one first;
// the destructor rolls back.
class ScriptTransaction {
public:
    // `settings` say how its statements wait for locks; those of the block around it apply where there is one.
    explicit ScriptTransaction(const TransactionSettings& settings);
    ~ScriptTransaction();
    ScriptTransaction(const ScriptTransaction&) = delete;
    ScriptTransaction& operator=(const ScriptTransaction&) = delete;

    // Returns the innermost block of this thread; null outside of all.
    static ScriptTransaction* current();
    // Throws UserError (<ActiveTransaction>) when a block of this thread has changed rows: `what`, which would wait for
    // its end, is done before or after it.
    static void requireUnchanged(const std::string& what);
    // Throws UserError (<NotSupported>) within a block: `what` is a transaction of its own.
    static void refuse(const std::string& what);

    // Returns the transaction for a statement that changes rows of a row table, which begins here; null where the table
    // knows none.
    Transaction* open(const RowAccess& access);
    // Keeps rows of a table of columns, which have the columns of the table, until the end. Throws UserError
    // (<TransactionTooLarge>) when the rows take more than a quarter of the memory, and <NotSupported> when tables of
    // several data folders have changed.
    void keep(const Ref<PartitionedTable>& table, const MemoryTable& rows);
    // Returns the rows that are kept for a table; null: none.
    Ref<MemoryTable> keptRows(const PartitionedTable& table) const;

    // Store all of it by one commit, durable and visible at once; a block within another one leaves that to the outer
    // one. Throws what the changes throw, or SystemError when the disk refuses: nothing was stored then. It has ended
    // in either case.
    void commit();
    void rollback();

private:
    // What the outermost block has, which those within it share.
    struct Work {
        std::optional<TransactionScope> scope;
        std::unique_ptr<Transaction> own;
        Transaction* joined = nullptr;  // of the session around the script; null: none
        std::vector<RowsOfTable> kept;
        int64_t keptBytes = 0;

        Transaction* transaction() const { return joined != nullptr ? joined : own.get(); }
    };
    void end();
    void requireOneFolder(const void* clock) const;

    ScriptTransaction* const outer_;
    const std::unique_ptr<Work> own_;  // of the outermost block
    Work& work_;
    size_t savepoints_ = 0;            // with that of this block; 0: it has none
    std::vector<int64_t> keptBefore_;  // rows that were kept of each table when this block began
    bool hasEnded_ = false;
};

}  // namespace pelorus
