#include "storage/rows/row_transaction.h"

#include <algorithm>

#include "common/check.h"
#include "runtime/memory/budget.h"
#include "storage/rows/row_part.h"

namespace pelorus {

RowTransaction::RowTransaction(TransactionSlots& slots) : slots_(slots), tag_(slots_.begin()) {}

RowTransaction::~RowTransaction() {
    if (!isEnded_) abort();
}

int64_t RowUndo::bytes() const {
    int64_t bytes = 0;
    for (const UndoRecord& record : records) bytes += static_cast<int64_t>(sizeof record) + record.cells.byteCount();
    return bytes + static_cast<int64_t>(superseded.size() * sizeof(RowKey));
}

RowChanges& RowTransaction::changesOf(const std::shared_ptr<RowPart>& part) {
    for (RowChanges& changes : changes_) {
        if (changes.part == part) return changes;
    }
    RowChanges changes;
    changes.part = part;
    changes.edits.table = part->table();
    changes.undo = std::make_unique<RowUndo>();
    return changes_.emplace_back(std::move(changes));
}

bool RowTransaction::isEmpty() const {
    return std::all_of(changes_.begin(), changes_.end(),
                       [](const RowChanges& changes) { return changes.edits.changes.empty(); });
}

int64_t RowTransaction::bytes() const {
    int64_t bytes = 0;
    for (const RowChanges& changes : changes_) bytes += changes.bytes;
    return bytes;
}

RowTransaction::Position RowTransaction::position() const {
    Position position;
    for (const RowChanges& changes : changes_) position.push_back(changes.mark());
    return position;
}

void RowTransaction::rollbackTo(const Position& position) {
    CHECK(!isEnded_ && number_ == 0) << "a transaction that goes on is taken back to a position";
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    for (size_t i = 0; i < changes_.size(); ++i)
        changes_[i].part->putBack(changes_[i], i < position.size() ? position[i] : RowChanges::Mark());
}

void RowTransaction::place(uint64_t number) {
    number_ = number;
    slots_.place(tag_, number);
}

void RowTransaction::withdraw() {
    slots_.markAborted(tag_);
}

void RowTransaction::settle() {
    CHECK(number_ != 0 && !isEnded_) << "a transaction is settled once, after it was placed";
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    for (RowChanges& changes : changes_) {
        for (const UndoRecord& undo : changes.undo->records) undo.page->stamp(undo.slot, tag_, number_);
        changes.part->keepUndo(number_, std::move(changes.undo));
    }
    isEnded_ = true;
    slots_.end(tag_);
}

void RowTransaction::abort() {
    CHECK(!isEnded_) << "a transaction ends once";
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    slots_.markAborted(tag_);
    for (RowChanges& changes : changes_) changes.part->putBack(changes, {});
    isEnded_ = true;
    slots_.end(tag_);
}

}  // namespace pelorus
