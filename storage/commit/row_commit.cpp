#include "storage/commit/row_commit.h"

#include "common/check.h"
#include "common/error.h"
#include "runtime/memory/budget.h"
#include "storage/commit/storage_parts.h"
#include "storage/version/edit.h"

namespace pelorus {

using format::EditKind;

// Before-images are purged by every commit whose number divides by this; maintenance purges the rest.
static constexpr uint64_t kPurgeEvery = 64;

RowCommit::RowCommit(StorageParts& parts, std::shared_ptr<StoredRows> rows) : parts_(parts), rows_(std::move(rows)) {
    read_ = rows_->turn.acquire();
    try {
        transaction_ = std::make_unique<RowTransaction>(rows_->part);
    } catch (...) {
        rows_->turn.release();
        throw;
    }
}

RowCommit::~RowCommit() {
    if (state_ != State::Open) return;
    transaction_->abort();
    rows_->turn.release();
}

void RowCommit::place(uint64_t number) noexcept {
    transaction_->place(number);
    state_ = State::Placed;
    rows_->turn.releasePlaced(number);
}

void RowCommit::withdraw() noexcept {
    transaction_->withdraw();
    state_ = State::Withdrawn;
    rows_->turn.noteWithdrawn();
}

void RowCommit::abandon() {
    transaction_->abort();
    state_ = State::Ended;
    rows_->turn.release();
    awaitDurable();
}

uint64_t RowCommit::awaitDurable() {
    if (read_ > parts_.clock()) parts_.log->sync();
    return parts_.clock();
}

uint64_t RowCommit::commit() {
    CHECK(state_ == State::Open) << "a transaction commits once";
    if (transaction_->isEmpty()) {
        abandon();
        return parts_.clock();
    }
    Edit edit;
    edit.kind = EditKind::RowEdits;
    RowEdits edits = transaction_->edits();
    edits.columns = rows_->part->columns();  // also those that were added since the turn began
    edit.rowEdits = std::make_shared<const RowEdits>(std::move(edits));
    std::string payload;
    encodeEdits({edit}, payload);
    uint64_t number = 0;
    try {
        number = parts_.log->commit(
            format::RecordKind::Commit, std::move(payload),
            [&](uint64_t installed) { parts_.versions.setVisible(installed); }, 0, WalWriter::Sync::AsSet, this);
    } catch (...) {
        // A record that was not written leaves the transaction open: the destructor puts it back.
        if (state_ == State::Withdrawn) rows_->turn.giveWithdrawn(std::move(transaction_));
        if (state_ == State::Placed) transaction_->settle();  // durable, and could not be shown
        throw;
    }
    CHECK(state_ == State::Placed) << "a written record is placed";
    transaction_->settle();
    state_ = State::Ended;
    // What is durable does not fail for want of memory.
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    if (number % kPurgeEvery == 0) rows_->part->purge(parts_.rows->reads().advanceHorizon());
    return number;
}

void eraseAllRows(StorageParts& parts, uint64_t table) {
    const std::shared_ptr<StoredRows> rows = parts.rows->find(table);
    if (!rows) return;
    RowCommit commit(parts, rows);
    if (rows->isDropped) return;  // meanwhile: replay would take a record behind the drop for rows of a table
    for (const uint64_t row : rows->part->rows(commit.view())) {
        const bool isDone = rows->part->erase(commit.transaction(), row).outcome == RowOutcome::Done;
        CHECK(isDone) << "the holder of the turn changes rows that are there";
    }
    commit.commit();
}

void dropRows(StorageParts& parts, uint64_t table, const std::function<void(uint64_t number)>& install) {
    const std::shared_ptr<StoredRows> rows = parts.rows->find(table);
    if (!rows) return;
    Edit edit;
    edit.kind = EditKind::RowsDropped;
    edit.table = table;
    std::string payload;
    encodeEdits({edit}, payload);
    // With the turn no change can come behind the record, which replay would take for rows of a table.
    rows->turn.acquire();
    try {
        parts.log->commit(format::RecordKind::Commit, std::move(payload), install);
    } catch (...) {
        rows->turn.release();
        throw;
    }
    parts.rows->drop(table);
    rows->turn.release();
}

}  // namespace pelorus
