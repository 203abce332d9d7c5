#include "storage/commit/remove_rows.h"

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "runtime/append/script_transaction.h"
#include "storage/commit/storage_parts.h"
#include "storage/commit/stored_transaction.h"
#include "storage/rows/row_store.h"
#include "storage/version/edit.h"

namespace pelorus {

using format::EditKind;

void eraseAllRows(StorageParts& parts, uint64_t table) {
    const std::shared_ptr<StoredRows> rows = parts.rows->find(table);
    if (!rows) return;
    ScriptTransaction::requireUnchanged("A removal of all rows of a table");
    StoredTransaction transaction(parts, nullptr, {});
    transaction.beginStatement(TransactionScope::settings());
    transaction.lockTable(table, LockMode::AccessExclusive);
    if (rows->isDropped) return;  // meanwhile: replay would take a record behind the drop for rows of a table
    int64_t erased = 0;
    for (const uint64_t row : rows->part->rows(transaction.newest())) {
        if (++erased % 1024 == 0) checkCancelled();
        const bool isDone = rows->part->erase(transaction.changes(), row).outcome == RowOutcome::Done;
        CHECK(isDone) << "the holder of the table changes rows that are there";
    }
    transaction.commit();
}

void dropRows(StorageParts& parts, uint64_t table, const std::function<void(uint64_t number)>& install) {
    const std::shared_ptr<StoredRows> rows = parts.rows->find(table);
    if (!rows) return;
    ScriptTransaction::requireUnchanged("A removal of all rows of a table");
    Edit edit;
    edit.kind = EditKind::RowsDropped;
    edit.table = table;
    std::string payload;
    encodeEdits({edit}, payload);
    // With the lock no change can come behind the record, which replay would take for rows of a table.
    StoredTransaction transaction(parts, nullptr, {});
    transaction.beginStatement(TransactionScope::settings());
    transaction.lockTable(table, LockMode::AccessExclusive);
    parts.log->commit(format::RecordKind::Commit, std::move(payload), [&](uint64_t number) {
        rows->isDropped = true;  // before a snapshot at the number: images at it do not have the rows
        install(number);
    });
    parts.rows->drop(table);
}

}  // namespace pelorus
