// A statement that changes one row table, within a transaction or as one of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/commit/stored_transaction.h"
#include "storage/rows/row_part.h"

namespace pelorus {

class LocalStorage;
class RowKeyIndex;
class TableReferences;
struct StoredRows;

// Takes the locks that changes of rows need, and waits for those who have them. A statement that is left before
// `finish`, by an error or otherwise, has changed nothing. Used by one thread; made by RowTable.
class RowStatement {
public:
    // Locks the table: writers of rows exclude definitions alone. Without a mode the caller has locked it. `given`,
    // which outlives this, is the transaction of the session; null: it is one of its own. Throws as StoredTransaction's
    // locks do.
    RowStatement(LocalStorage& storage, Transaction* given, std::shared_ptr<StoredRows> rows,
                 std::optional<LockMode> mode);
    ~RowStatement();
    RowStatement(const RowStatement&) = delete;
    RowStatement& operator=(const RowStatement&) = delete;

    StoredRows& rows() const { return *rows_; }
    RowPart& part() const;
    StoredTransaction& transaction() const { return transaction_; }
    // Returns the view of what is committed now, and of the transaction's own changes.
    RowView view() const { return transaction_.newest(); }

    // Returns the row that has the key in a unique index now, after the end of those who change it; RowPart::kNoRow for
    // none. Throws UserError (<ConcurrentChange>) for one that a transaction of repeatable read does not see. `table`
    // is its name.
    uint64_t find(const RowKeyIndex& index, const std::string& key, const std::string& table) const;
    // Change a row, after waiting for others that have changed it or have its keys. Return Done, Duplicate, or Changed
    // for a row that was committed above `seen` or is gone.
    RowPart::Result insert(const std::vector<RowCell>& cells);
    RowPart::Result update(uint64_t row, const std::vector<int>& columns, const std::vector<RowCell>& cells,
                           uint64_t seen = TransactionSlots::kNewest);
    RowPart::Result erase(uint64_t row, uint64_t seen = TransactionSlots::kNewest);
    // Locks a row as a statement that changes these columns would.
    LockMode modeOf(const std::vector<int>& columns) const;

    // Sets where changes are noted for foreign keys; null: nowhere.
    void noteAt(std::shared_ptr<TableReferences> references) { references_ = std::move(references); }

    // Makes `finish` check the changes of a statement of a transaction, too; else who runs the statement does.
    void checkAtEnd() { isChecked_ = true; }
    // Ends the statement; one without a transaction is checked and committed. Throws ConstraintError when a foreign key
    // refuses a row, and SystemError when the disk refuses: nothing was changed then.
    void finish();
    // Puts everything back and waits until what the statement met is visible, for it to begin anew.
    void abandon();

private:
    template <class Change>
    RowPart::Result untilDone(Change change);

    const std::shared_ptr<StoredRows> rows_;
    std::unique_ptr<StoredTransaction> own_;
    StoredTransaction& transaction_;
    const StoredTransaction::Position start_;
    std::shared_ptr<TableReferences> references_;  // null: the table has no part in foreign keys
    bool isChecked_ = false;
    bool isFinished_ = false;
};

}  // namespace pelorus
