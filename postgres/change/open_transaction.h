// OpenTransaction is the transaction of a session over row tables, from its first change to its end.
#pragma once

#include <cstddef>
#include <memory>

#include "postgres/session_facts.h"
#include "runtime/append/table_transaction.h"
#include "runtime/function/context.h"

namespace pelorus {
class HeldSnapshot;
}

namespace pelorus::postgres {

// The transaction, if there is one: of a block, or of the statements that a client sends together. It begins with the
// first statement that changes or locks rows; until then statements read without one. The thread of the connection owns
// it.
class OpenTransaction {
public:
    // `session` is the number of the session.
    explicit OpenTransaction(uint64_t session) : session_(session) {}

    // Sets how later statements wait, and what a commit promises.
    void setSettings(const TransactionSettings& settings) { settings_ = settings; }

    // What the block is like in which the transaction begins.
    struct Block {
        const HeldSnapshot* held = nullptr;  // what a block of repeatable read reads at; null: read committed
        size_t savepoints = 0;               // that were set before
    };
    // Returns the transaction, which begins here if there is none, with its first statement. Throws SystemError when
    // the data folder cannot be opened.
    Transaction& open(const Block& block, Context& context);
    Transaction* get() const { return transaction_.get(); }
    bool hasChanges() const { return transaction_ && transaction_->hasChanges(); }

    // Statements of the scope belong to the transaction; they are those of one statement of the client.
    class Statement {
    public:
        explicit Statement(OpenTransaction& transaction);
        ~Statement();
        Statement(const Statement&) = delete;
        Statement& operator=(const Statement&) = delete;

    private:
        OpenTransaction& own_;
        const TransactionScope scope_;
    };

    // Does what a function on advisory locks asks for; locks of the session outlive its transactions. `block` is that
    // of `open`. Throws as they do.
    bool advise(AdvisoryVerb verb, const AdvisoryLock& lock, const Block& block, Context& context);
    void unlockAll();

    // As those of Transaction; they do nothing where there is none.
    void savepoint();
    void release(size_t count);
    void rollbackTo(size_t count);
    void commit();
    void rollback() { transaction_.reset(); }

private:
    const uint64_t session_;
    TransactionSettings settings_;
    std::unique_ptr<SessionLocks> locks_;  // null: none was taken
    std::unique_ptr<Transaction> transaction_;
};

}  // namespace pelorus::postgres
