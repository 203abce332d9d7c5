#include "storage/rows/row_transaction.h"

#include "common/check.h"
#include "runtime/memory/budget.h"
#include "storage/rows/row_part.h"

namespace pelorus {

RowTransaction::RowTransaction(std::shared_ptr<RowPart> part)
    : part_(std::move(part)), tag_(part_->slots_.begin()), undo_(std::make_unique<RowUndo>()) {
    edits_.table = part_->table();
}

RowTransaction::~RowTransaction() {
    if (!isEnded_) abort();
}

void RowTransaction::place(uint64_t number) {
    number_ = number;
    part_->slots_.place(tag_, number);
}

void RowTransaction::withdraw() {
    part_->slots_.markAborted(tag_);
}

void RowTransaction::settle() {
    CHECK(number_ != 0 && !isEnded_) << "a transaction is settled once, after it was placed";
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    for (const UndoRecord& undo : undo_->records) undo.page->stamp(undo.slot, tag_, number_);
    part_->keepUndo(number_, std::move(undo_));
    isEnded_ = true;
    part_->slots_.end(tag_);
}

void RowTransaction::abort() {
    CHECK(!isEnded_) << "a transaction ends once";
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    part_->slots_.markAborted(tag_);
    part_->putBack(*this);
    isEnded_ = true;
    part_->slots_.end(tag_);
}

}  // namespace pelorus
