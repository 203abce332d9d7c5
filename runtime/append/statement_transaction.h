// The transaction of a statement that changes a row table.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/append/row_access.h"
#include "runtime/append/script_transaction.h"
#include "runtime/append/table_transaction.h"

namespace pelorus {

// That of the thread's scope or transaction block, or one of its own, which ends with the statement: rolled back unless
// `commit` is called. Within a block, where a script may go on after an error, the statement alone is rolled back.
class StatementTransaction {
public:
    explicit StatementTransaction(RowAccess& access) {
        if (ScriptTransaction* const block = ScriptTransaction::current()) {
            transaction_ = block->open(access);
            if (transaction_ == nullptr) return;
            transaction_->beginStatement(TransactionScope::settings());
            transaction_->savepoint();
            savepoints_ = transaction_->savepointCount();
            return;
        }
        transaction_ = TransactionScope::current();
        if (transaction_ != nullptr) return;
        own_ = access.beginTransaction();
        transaction_ = own_.get();
    }
    ~StatementTransaction() {
        if (savepoints_ == 0) return;
        transaction_->rollbackTo(savepoints_);
        transaction_->release(savepoints_ - 1);
    }
    StatementTransaction(const StatementTransaction&) = delete;
    StatementTransaction& operator=(const StatementTransaction&) = delete;

    // Null where the table knows no transactions.
    Transaction* get() const { return transaction_; }
    bool isOwn() const { return own_ != nullptr; }
    // Ends the statement, whose changes are checked. Commits a transaction of its own; leaves the scope's to its
    // session. Throws as Transaction::checkChanges and Transaction::commit do.
    void commit() {
        if (transaction_ != nullptr) transaction_->checkChanges();
        if (savepoints_ > 0) transaction_->release(savepoints_ - 1);
        savepoints_ = 0;
        if (own_) own_->commit();
    }

private:
    std::unique_ptr<Transaction> own_;
    Transaction* transaction_ = nullptr;
    size_t savepoints_ = 0;  // with that of the statement; 0: it has none
};

}  // namespace pelorus
