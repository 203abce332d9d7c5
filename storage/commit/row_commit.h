// A transaction over one row table, from its turn to a durable record of the log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/log/wal_writer.h"
#include "storage/rows/row_store.h"

namespace pelorus {

struct StorageParts;

// A change of the rows of one table that becomes visible as a whole or not at all. Its statement reads what is placed
// and its own changes (`view`), which nobody else changes meanwhile. Used by one thread; made by RowTable.
class RowCommit final : private WalWriter::Placement {
public:
    // Waits for the table's turn. `parts` outlives this.
    RowCommit(StorageParts& parts, std::shared_ptr<StoredRows> rows);
    // Puts everything back, unless it was committed.
    ~RowCommit() override;
    RowCommit(const RowCommit&) = delete;
    RowCommit& operator=(const RowCommit&) = delete;

    StoredRows& rows() const { return *rows_; }
    RowPart& part() const { return *rows_->part; }
    RowTransaction& transaction() const { return *transaction_; }
    RowView view() const { return {TransactionSlots::kNewest, transaction_->tag()}; }
    // Waits until all that the statement may read is durable, and returns the newest visible number. Throws SystemError
    // when the disk refuses.
    uint64_t awaitDurable();
    // Puts everything back, and waits until what the statement met is visible, for it to begin anew. Throws SystemError
    // when the disk refuses.
    void abandon();
    // Makes the changes durable and visible and returns their number. Without changes it waits until what the statement
    // read is durable, and returns the newest visible number. Throws SystemError when the disk refuses: then nothing
    // was changed. REQUIRES: called once.
    uint64_t commit();

private:
    void place(uint64_t number) noexcept override;
    void withdraw() noexcept override;

    StorageParts& parts_;
    const std::shared_ptr<StoredRows> rows_;
    uint64_t read_ = 0;  // number of the newest placed transaction that the statement may have read
    std::unique_ptr<RowTransaction> transaction_;
    enum class State { Open, Placed, Withdrawn, Ended } state_ = State::Open;
};

// Erases all rows of a row table as one transaction. Does nothing for a table without rows. Throws SystemError when the
// disk refuses: no row is erased then.
void eraseAllRows(StorageParts& parts, uint64_t table);
// Makes a record that drops the rows of a row table, and forgets them. Does nothing for a table without rows. Throws
// SystemError when the disk refuses.
void dropRows(StorageParts& parts, uint64_t table, const std::function<void(uint64_t number)>& install);

}  // namespace pelorus
