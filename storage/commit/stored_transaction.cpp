#include "storage/commit/stored_transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "runtime/memory/budget.h"
#include "storage/commit/staged_batch.h"
#include "storage/commit/storage_parts.h"
#include "storage/commit/write_batch.h"
#include "storage/rows/row_store.h"
#include "storage/version/edit.h"

namespace pelorus {

using format::EditKind;

// Before-images are purged by every commit whose number divides by this; maintenance purges the rest.
static constexpr uint64_t kPurgeEvery = 64;
static constexpr int64_t kUndoPart = 4;  // fraction of the memory that before-images may take
// More locks than these are released by the transaction's own thread, after the sync: the log's writer does not wait.
static constexpr size_t kLocksOfWriter = 4096;

StoredTransaction::StoredTransaction(StorageParts& parts, std::shared_ptr<const void> storage,
                                     const TransactionOptions& options)
    : storage_(std::move(storage)),
      parts_(parts),
      options_(options),
      failures_(parts.rows->withdrawn().failures()),
      owner_(parts.rows->locks(), options.session) {}

StoredTransaction::~StoredTransaction() {
    if (state_ == State::Open) rollback();
}

void StoredTransaction::beginStatement(const TransactionSettings& settings) {
    settings_ = settings;
    endStatement();
}

void StoredTransaction::endStatement() {
    if (isRepeatable()) return;
    pin_.reset();
    columnPin_.reset();
}

// The statement sees all that is visible, and what the transaction has met, which may be placed only.
void StoredTransaction::takeSnapshot() {
    if (pin_) return;
    pin_.emplace(parts_.versions, options_.number);
    seen_ = isRepeatable() ? pin_->number() : std::max(pin_->number(), met_);
}

RowView StoredTransaction::view() {
    takeSnapshot();
    return {seen_, changes_ ? changes_->tag() : 0};
}

uint64_t StoredTransaction::pinnedNumber() {
    takeSnapshot();
    return pin_->number();
}

uint64_t StoredTransaction::number() {
    takeSnapshot();
    if (seen_ > pin_->number() && !columnPin_) {
        awaitDurable();
        columnPin_.emplace(parts_.versions, seen_);  // its versions are kept by the older pin
    }
    return seen_;
}

RowView StoredTransaction::newest() {
    return {TransactionSlots::kNewest, changes_ ? changes_->tag() : 0};
}

RowTransaction& StoredTransaction::changes() {
    CHECK(state_ == State::Open) << "a transaction that has ended changes nothing";
    if (!changes_) {
        changes_ = std::make_unique<RowTransaction>(parts_.rows->slots());
        const LockResult taken = parts_.rows->locks().acquire(owner_, {LockKey::Kind::Transaction, changes_->tag(), 0},
                                                              LockMode::AccessExclusive);
        CHECK(taken == LockResult::Granted) << "the lock of a transaction is its own";
    }
    return *changes_;
}

void StoredTransaction::requireSize() const {
    if (!changes_ || changes_->bytes() <= parts_.options.maxTransactionBytes) return;
    throw UserError(fmt::format("<TransactionTooLarge>A transaction changes at most {} MB of rows "
                                "(maxRowTransactionSize).",
                                parts_.options.maxTransactionBytes >> 20),
                    "Commit more often.");
}

void refuseLock(LockResult result) {
    if (result == LockResult::TimedOut)
        throw UserError("<LockNotAvailable>The lock was not free within lock_timeout.", "Run the transaction again.");
    if (result == LockResult::Deadlock) {
        throw UserError("<Deadlock>Transactions wait for each other, and this one was chosen to end: a deadlock.",
                        "Run the transaction again.");
    }
}

LockKey keyOf(const AdvisoryLock& lock) {
    return {LockKey::Kind::Advisory, lock.space, lock.number};
}

LockMode modeOf(const AdvisoryLock& lock) {
    return lock.isShared ? LockMode::Share : LockMode::Exclusive;
}

LockResult StoredTransaction::acquire(const LockKey& key, LockMode mode, bool waits) {
    CHECK(state_ == State::Open) << "a transaction that has ended takes no lock";
    const LockResult result =
        parts_.rows->locks().acquire(owner_, key, mode, {.waits = waits, .timeout = settings_.lockTimeout});
    refuseLock(result);
    return result;
}

bool StoredTransaction::lockNumber(const AdvisoryLock& lock) {
    LockResult result;
    do {
        result = acquire(keyOf(lock), modeOf(lock), lock.waits);
    } while (result == LockResult::Look);
    return result == LockResult::Granted;
}

void StoredTransaction::lockTable(uint64_t table, LockMode mode, bool waits) {
    LockResult result;
    do {
        result = acquire({LockKey::Kind::Table, table, 0}, mode, waits);
    } while (result == LockResult::Look);
    if (result == LockResult::Granted) return;
    throw UserError("<LockNotAvailable>Another transaction has locked the table.", "Leave NOWAIT out to wait for it.");
}

bool StoredTransaction::lockRow(uint64_t table, uint64_t row, LockMode mode, RowLockPolicy policy) {
    for (;;) {
        const LockResult result = acquire({LockKey::Kind::Row, table, row}, mode, policy == RowLockPolicy::Wait);
        if (result == LockResult::Granted) return true;
        if (result == LockResult::Look) continue;
        if (policy == RowLockPolicy::Skip) return false;
        throw UserError("<LockNotAvailable>Another transaction has locked a row of the table.",
                        "Leave NOWAIT out to wait for it.");
    }
}

void StoredTransaction::awaitEnd(RowStamp tag) {
    const size_t before = owner_.lockCount();
    acquire({LockKey::Kind::Transaction, tag, 0}, LockMode::AccessShare, true);
    parts_.rows->locks().releaseFrom(owner_, before);
}

void StoredTransaction::noteMet(uint64_t number) {
    if (number < TransactionSlots::kNewest) met_ = std::max(met_, number);
}

uint64_t StoredTransaction::awaitDurable() {
    if (met_ > parts_.clock()) parts_.log->sync();
    return parts_.clock();
}

uint64_t StoredTransaction::awaitPlaced() {
    parts_.log->sync();
    return parts_.clock();
}

StoredTransaction::Position StoredTransaction::position() const {
    return {changes_ ? changes_->position() : RowTransaction::Position(), changes_ != nullptr, owner_.lockCount(),
            rules_ ? rules_->position() : StatementRules::Position()};
}

void StoredTransaction::checkChanges() {
    if (rules_) rules_->endStatement();
}

void StoredTransaction::rollbackTo(const Position& position) {
    if (rules_) rules_->rollbackTo(position.rules);
    if (changes_) {
        changes_->rollbackTo(position.changes);
        if (!position.hasChanges) {
            changes_->abort();
            changes_.reset();
        } else {
            // Who waits for a key that was taken back need not wait for the end.
            parts_.rows->locks().wakeAll({LockKey::Kind::Transaction, changes_->tag(), 0});
        }
    }
    parts_.rows->locks().releaseFrom(owner_, position.locks);
}

void StoredTransaction::deferChecks(const std::vector<std::string>& constraints, bool isDeferred) {
    if (constraints.empty()) {
        allDeferred_ = isDeferred;
        deferredByName_.clear();
    }
    for (const std::string& name : constraints) deferredByName_[name] = isDeferred;
    if (!isDeferred && rules_) rules_->checkDeferred(constraints);
}

bool StoredTransaction::isDeferred(const std::string& constraint, bool isFirst) const {
    const auto named = deferredByName_.find(constraint);
    return named != deferredByName_.end() ? named->second : allDeferred_.value_or(isFirst);
}

void StoredTransaction::savepoint() {
    savepoints_.push_back(position());
}

void StoredTransaction::release(size_t count) {
    if (savepoints_.size() > count) savepoints_.resize(count);
}

void StoredTransaction::rollbackTo(size_t count) {
    CHECK(count > 0 && count <= savepoints_.size()) << "a savepoint that is gone back to is there";
    savepoints_.resize(count);
    rollbackTo(savepoints_.back());
}

void StoredTransaction::place(uint64_t number) noexcept {
    changes_->place(number);
    state_ = State::Placed;
    if (owner_.lockCount() <= kLocksOfWriter) parts_.rows->locks().releaseFrom(owner_, 0);
}

void StoredTransaction::withdraw() noexcept {
    changes_->withdraw();
    state_ = State::Withdrawn;
    parts_.rows->withdrawn().note();
}

void StoredTransaction::end() {
    parts_.rows->locks().releaseFrom(owner_, 0);
    pin_.reset();
    columnPin_.reset();
    rules_.reset();
    changes_.reset();
    savepoints_.clear();
    state_ = State::Ended;
}

void StoredTransaction::rollback() {
    if (state_ == State::Ended) return;
    CHECK(state_ == State::Open) << "a record that is written is not rolled back";
    if (changes_) changes_->abort();
    end();
}

void StoredTransaction::commit() {
    CHECK(state_ == State::Open) << "a transaction commits once";
    try {
        if (rules_) rules_->beforeCommit();
    } catch (...) {
        rollback();
        throw;
    }
    if (changes_ && !changes_->isEmpty()) return writeRecord();
    rollback();
    // What it has told of other transactions is durable when it ends.
    if (met_ == 0) return;
    const WithdrawnRows::Commit whatItMetStands(parts_.rows->withdrawn(), failures_);
    awaitDurable();
}

bool StoredTransaction::commitWith(const WriteBatch& batch) {
    CHECK(state_ == State::Open) << "a transaction commits once";
    try {
        if (rules_) rules_->beforeCommit();
        changes();  // also when it has only locked rows: these are held until the record is written
        StagedBatch staged(parts_, batch);
        // All row locks are held by now; who holds chunks waits for none of them.
        const ChunkLocks::Hold hold(parts_.locks, staged.chunks(), false);
        const CommitResult result = staged.resolve();
        CHECK(result == CommitResult::Done) << "rows that are added replace none";
        const bool hasSegments = std::any_of(staged.edits().begin(), staged.edits().end(),
                                             [](const Edit& edit) { return edit.kind == EditKind::SegmentAdded; });
        writeRecord(std::move(staged.edits()));
        staged.keep();
        return hasSegments || parts_.versions.cachedBytes() > parts_.options.writeCacheBytes;
    } catch (...) {
        if (state_ == State::Open) rollback();
        throw;
    }
}

void StoredTransaction::writeRecord(std::vector<Edit> columns) {
    std::vector<Edit> edits = std::move(columns);
    const bool hasColumns = !edits.empty();
    for (const RowChanges& changes : changes_->changes()) {
        if (changes.edits.changes.empty()) continue;
        Edit& edit = edits.emplace_back();
        edit.kind = EditKind::RowEdits;
        RowEdits rows = changes.edits;
        rows.columns = changes.part->columns();  // also those that were added since the changes began
        edit.rowEdits = std::make_shared<const RowEdits>(std::move(rows));
    }
    std::string payload;
    encodeEdits(edits, payload);
    if (!hasColumns) edits.clear();
    uint64_t number = 0;
    try {
        const WithdrawnRows::Commit commit(parts_.rows->withdrawn(), failures_);
        number = parts_.log->commit(
            format::RecordKind::Commit, std::move(payload),
            [&](uint64_t installed) {
                if (hasColumns) parts_.versions.install(installed, edits);
                parts_.versions.setVisible(installed);
            },
            0, settings_.isSynchronous ? WalWriter::Sync::AsSet : WalWriter::Sync::Later, this);
    } catch (...) {
        if (state_ == State::Open) rollback();            // the record was not written
        if (state_ == State::Placed) changes_->settle();  // durable, and could not be shown
        if (state_ == State::Withdrawn) {
            changes_->abort();
            parts_.rows->withdrawn().notePutBack();
        }
        end();
        throw;
    }
    CHECK(state_ == State::Placed) << "a written record is placed";
    if (!settings_.isSynchronous && parts_.log->syncedNumber() < number) parts_.laterSync.note();
    changes_->settle();
    // What is durable does not fail for want of memory.
    const memory::Unrefused whole(memory::Unrefused::Pieces::All);
    end();
    if (number % kPurgeEvery == 0) parts_.rows->purge(memory::limitBytes() / kUndoPart);
}

}  // namespace pelorus
