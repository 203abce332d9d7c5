// The transaction of a statement that changes a row table.
#pragma once

#include <memory>

#include "runtime/append/row_access.h"
#include "runtime/append/table_transaction.h"

namespace pelorus {

// That of the thread's scope, or one of its own, which ends with the statement: rolled back unless `commit` is called.
class StatementTransaction {
public:
    explicit StatementTransaction(RowAccess& access) : transaction_(TransactionScope::current()) {
        if (transaction_ != nullptr) return;
        own_ = access.beginTransaction();
        transaction_ = own_.get();
    }

    // Null where the table knows no transactions.
    Transaction* get() const { return transaction_; }
    bool isOwn() const { return own_ != nullptr; }
    // Ends the statement, whose changes are checked. Commits a transaction of its own; leaves the scope's to its
    // session. Throws as Transaction::checkChanges and Transaction::commit do.
    void commit() {
        if (transaction_ != nullptr) transaction_->checkChanges();
        if (own_) own_->commit();
    }

private:
    std::unique_ptr<Transaction> own_;
    Transaction* transaction_;
};

}  // namespace pelorus
