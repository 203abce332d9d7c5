#include "postgres/change/open_transaction.h"

#include <utility>

#include "database/service/database_service.h"
#include "postgres/sql_error.h"
#include "sql/execution/query_snapshot.h"

namespace pelorus::postgres {

static DatabaseService& serviceOf(Context& context) {
    auto* const service = context.service<DatabaseService>();
    if (service == nullptr) throw SqlError(sql_state::kFeatureNotSupported, "this process has no databases");
    return *service;
}

Transaction& OpenTransaction::open(const Block& block, Context& context) {
    if (!transaction_) {
        DatabaseService& service = serviceOf(context);
        TransactionOptions options;
        options.session = session_;
        if (block.held != nullptr) {
            options.level = IsolationLevel::RepeatableRead;
            options.number = block.held->numberOf(service.ownClock());
        }
        transaction_ = service.beginTransaction(options);
        transaction_->beginStatement(settings_);
        for (size_t i = 0; i < block.savepoints; ++i) transaction_->savepoint();
    }
    TransactionScope::set(transaction_.get());
    return *transaction_;
}

OpenTransaction::Statement::Statement(OpenTransaction& transaction)
    : own_(transaction), scope_(transaction.get(), transaction.settings_) {
    if (own_.get() != nullptr) own_.get()->beginStatement(own_.settings_);
}

OpenTransaction::Statement::~Statement() {
    if (own_.get() != nullptr) own_.get()->endStatement();
}

bool OpenTransaction::advise(AdvisoryVerb verb, const AdvisoryLock& lock, const Block& block, Context& context) {
    if (verb == AdvisoryVerb::LockTransaction) return open(block, context).lockNumber(lock);
    if (verb == AdvisoryVerb::UnlockAll) {
        unlockAll();
        return true;
    }
    if (!locks_) locks_ = serviceOf(context).beginSessionLocks(session_);
    return verb == AdvisoryVerb::Unlock ? locks_->unlock(lock) : locks_->lock(lock, settings_);
}

void OpenTransaction::unlockAll() {
    if (locks_) locks_->unlockAll();
}

void OpenTransaction::savepoint() {
    if (transaction_) transaction_->savepoint();
}

void OpenTransaction::release(size_t count) {
    if (transaction_) transaction_->release(count);
}

void OpenTransaction::rollbackTo(size_t count) {
    if (transaction_) transaction_->rollbackTo(count);
}

void OpenTransaction::commit() {
    // It ends also when the disk refuses.
    const std::unique_ptr<Transaction> transaction = std::exchange(transaction_, nullptr);
    if (transaction) transaction->commit();
}

}  // namespace pelorus::postgres
