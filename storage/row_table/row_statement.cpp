#include "storage/row_table/row_statement.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/check.h"
#include "common/thread/cancellation.h"
#include "storage/folder/local_storage.h"
#include "storage/row_table/row_cells.h"
#include "storage/row_table/row_references.h"
#include "storage/rows/row_store.h"

namespace pelorus {

RowStatement::RowStatement(LocalStorage& storage, Transaction* given, std::shared_ptr<StoredRows> rows,
                           std::optional<LockMode> mode)
    : rows_(std::move(rows)),
      own_(given == nullptr ? storage.beginTransaction({}) : nullptr),
      transaction_(own_ ? *own_ : dynamic_cast<StoredTransaction&>(*given)),
      start_(transaction_.position()) {
    if (transaction_.isRepeatable()) transaction_.view();  // its snapshot is that of the first statement
    if (mode) transaction_.lockTable(part().table(), *mode);
}

RowPart& RowStatement::part() const {
    return *rows_->part;
}

RowStatement::~RowStatement() {
    if (!isFinished_ && !own_) transaction_.rollbackTo(start_);
}

uint64_t RowStatement::find(const RowKeyIndex& index, const std::string& key, const std::string& table) const {
    for (;;) {
        const uint64_t row = part().find(index, key, view());
        if (row == RowPart::kNoRow) return row;
        RowCells none;
        const RowPage::Newest newest = part().newest(row, {}, none);
        const bool isOwn = newest.stamp != 0 && newest.stamp == view().own;
        if (isOwn || newest.number < TransactionSlots::kAborted) {
            // The statement tells that it is there: it may be placed only.
            if (!isOwn) transaction_.noteMet(newest.number);
            if (!isOwn && transaction_.isRepeatable() && newest.number > transaction_.view().number)
                refuseConcurrent(table);
            return row;
        }
        checkCancelled();
        transaction_.awaitEnd(newest.stamp);
    }
}

LockMode RowStatement::modeOf(const std::vector<int>& columns) const {
    const std::shared_ptr<const RowPart::Indexes> indexes = part().indexes();
    const bool changesKey = std::any_of(indexes->begin(), indexes->end(), [&](const auto& index) {
        const std::vector<int>& key = index->definition().columns;
        return index->definition().isUnique && std::any_of(columns.begin(), columns.end(), [&](int column) {
                   return std::find(key.begin(), key.end(), column) != key.end();
               });
    });
    return changesKey ? row_lock::kUpdate : row_lock::kNoKeyUpdate;
}

// Repeats a change until nobody whose end it must wait for is in its way.
template <class Change>
RowPart::Result RowStatement::untilDone(Change change) {
    for (int tries = 0;; ++tries) {
        RowPart::Result result = change();
        transaction_.noteMet(result.number);
        if (result.outcome != RowOutcome::Busy) {
            if (result.outcome == RowOutcome::Done) transaction_.requireSize();
            return result;
        }
        // A transaction whose record was lost has released its locks before it puts its rows back.
        if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        checkCancelled();
        transaction_.awaitEnd(result.owner);
    }
}

RowPart::Result RowStatement::insert(const std::vector<RowCell>& cells) {
    RowPart::Result result = untilDone([&] { return part().insert(transaction_.changes(), cells); });
    if (references_ && result.outcome == RowOutcome::Done) references_->inserted(result.row);
    return result;
}

RowPart::Result RowStatement::update(uint64_t row, const std::vector<int>& columns, const std::vector<RowCell>& cells,
                                     uint64_t seen) {
    const LockMode mode = modeOf(columns);
    transaction_.lockRow(part().table(), row, mode, RowLockPolicy::Wait);
    std::vector<TableReferences::Before> before;
    if (references_) before = references_->before(part(), view(), row, columns, mode == row_lock::kUpdate);
    RowPart::Result result =
        untilDone([&] { return part().update(transaction_.changes(), row, columns, cells, seen); });
    if (result.outcome == RowOutcome::Done && !before.empty())
        references_->changed(row, std::move(before), columns, cells);
    return result;
}

RowPart::Result RowStatement::erase(uint64_t row, uint64_t seen) {
    transaction_.lockRow(part().table(), row, row_lock::kUpdate, RowLockPolicy::Wait);
    std::vector<TableReferences::Before> before;
    if (references_) before = references_->before(part(), view(), row, {}, true);
    RowPart::Result result = untilDone([&] { return part().erase(transaction_.changes(), row, seen); });
    if (result.outcome == RowOutcome::Done && !before.empty()) references_->changed(row, std::move(before), {}, {});
    return result;
}

void RowStatement::finish() {
    if (own_ || isChecked_) transaction_.checkChanges();
    isFinished_ = true;
    if (own_) own_->commit();
}

void RowStatement::abandon() {
    CHECK(!isFinished_) << "a statement ends once";
    isFinished_ = true;
    if (own_) {
        own_->rollback();
    } else {
        transaction_.rollbackTo(start_);
    }
    transaction_.awaitDurable();
}

}  // namespace pelorus
