// A transaction over the row tables of one data folder, from its first lock to a durable record of the log.
//
// It locks each row before it changes it, and each table in a mode that only definitions exclude. Its record is written
// with the locks held; they are released by the log's writer behind the write and before the sync, in the order of
// numbers: who takes one then builds on rows that are placed, and its own record follows in the same log. What a
// transaction has met so is durable before it ends, and it reads no older state from then on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/append/table_transaction.h"
#include "storage/commit/statement_rules.h"
#include "storage/lock/lock_table.h"
#include "storage/log/wal_writer.h"
#include "storage/rows/row_page.h"
#include "storage/rows/row_transaction.h"
#include "storage/version/version_set.h"

namespace pelorus {

struct StorageParts;
struct Edit;
struct StoredRows;
struct WriteBatch;

// Throws UserError for a lock that was waited for in vain.
void refuseLock(LockResult result);
// Returns what an advisory lock is in the table of locks.
LockKey keyOf(const AdvisoryLock& lock);
LockMode modeOf(const AdvisoryLock& lock);

// A transaction. Used by one thread at a time. It keeps the storage open, which `parts` are of and whose address is the
// clock of its tables; null: the caller does.
class StoredTransaction final : public Transaction, private WalWriter::Placement {
public:
    StoredTransaction(StorageParts& parts, std::shared_ptr<const void> storage, const TransactionOptions& options);
    ~StoredTransaction() override;
    StoredTransaction(const StoredTransaction&) = delete;
    StoredTransaction& operator=(const StoredTransaction&) = delete;

    const void* clock() const override { return storage_.get(); }
    void beginStatement(const TransactionSettings& settings) override;
    void endStatement() override;
    uint64_t number() override;
    bool hasChanges() const override { return changes_ != nullptr || owner_.lockCount() > 0; }
    bool lockNumber(const AdvisoryLock& lock) override;
    void checkChanges() override;
    void deferChecks(const std::vector<std::string>& constraints, bool isDeferred) override;
    size_t savepointCount() const override { return savepoints_.size(); }
    void savepoint() override;
    void release(size_t count) override;
    void rollbackTo(size_t count) override;
    void commit() override;
    void rollback() override;
    // Commits, and adds the rows to tables of columns by the same record: durable and visible at once, or not at all.
    // Throws as `commit`, and ChunkIsBusy: nothing was changed then. The transaction has ended in either case. Returns
    // whether the rows in memory or new segments are work for Maintenance.
    bool commitWith(const WriteBatch& batch);

    // Returns whether a constraint that may be checked at the end is; `isFirst`: as it was declared.
    bool isDeferred(const std::string& constraint, bool isFirst) const;
    bool isRepeatable() const { return options_.level == IsolationLevel::RepeatableRead; }
    // Returns what the statement sees: committed rows of its snapshot, and the transaction's own. Readers of the view
    // keep a Pin at `pinnedNumber`.
    RowView view();
    uint64_t pinnedNumber();
    // Returns the view of what is committed now, and the transaction's own.
    RowView newest();
    // Returns the changes, which begin here.
    RowTransaction& changes();
    // The rules that its changes are noted at; null until they are set, by who first changes a table that has some.
    StatementRules* rules() const { return rules_.get(); }
    void setRules(std::unique_ptr<StatementRules> rules) { rules_ = std::move(rules); }
    // Throws UserError (<TransactionTooLarge>) when the changes are more than a transaction may have.
    void requireSize() const;

    // The locks wait as the session says. Throw UserError: <LockNotAvailable>, <Deadlock>, or that the request was
    // cancelled.
    void lockTable(uint64_t table, LockMode mode, bool waits = true);
    // Returns false when another has the row and the policy is to skip it.
    bool lockRow(uint64_t table, uint64_t row, LockMode mode, RowLockPolicy policy);
    // Waits for the end of the transaction with this tag, or until it has taken something back.
    void awaitEnd(RowStamp tag);
    // Notes the number of a commit that the transaction has met in a row, under a lock or beside a key: it may be
    // placed and not yet durable.
    void noteMet(uint64_t number);
    // Waits until all that it has met is durable, and returns the newest visible number. Throws SystemError when the
    // disk refuses.
    uint64_t awaitDurable();
    // Does so for all that any transaction has placed.
    uint64_t awaitPlaced();

    // A point within a statement.
    struct Position {
        RowTransaction::Position changes;
        bool hasChanges = false;
        size_t locks = 0;
        StatementRules::Position rules = {};
    };
    Position position() const;
    void rollbackTo(const Position& position);

private:
    void place(uint64_t number) noexcept override;
    void withdraw() noexcept override;

    LockResult acquire(const LockKey& key, LockMode mode, bool waits);
    void takeSnapshot();
    void writeRecord(std::vector<Edit> columns = {});
    void end();

    const std::shared_ptr<const void> storage_;
    StorageParts& parts_;
    const TransactionOptions options_;
    const uint64_t failures_;  // of the log before the first look at rows
    TransactionSettings settings_;
    LockOwner owner_;
    std::unique_ptr<RowTransaction> changes_;  // null: none yet
    std::unique_ptr<StatementRules> rules_;
    uint64_t met_ = 0;                    // newest number that it has met
    std::optional<VersionSet::Pin> pin_;  // of the statement, or of the transaction
    std::optional<VersionSet::Pin> columnPin_;
    uint64_t seen_ = 0;  // number of the statement's view
    std::vector<Position> savepoints_;
    std::optional<bool> allDeferred_;             // none: as they were declared
    std::map<std::string, bool> deferredByName_;  // set after that
    enum class State { Open, Placed, Withdrawn, Ended } state_ = State::Open;
};

}  // namespace pelorus
