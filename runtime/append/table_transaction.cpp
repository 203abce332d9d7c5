#include "runtime/append/table_transaction.h"

#include "common/check.h"

namespace pelorus {

constinit static thread_local Transaction* current_ = nullptr;
constinit static thread_local TransactionSettings settings_;
constinit static thread_local bool hasScope = false;

TransactionScope::TransactionScope(Transaction* transaction) : TransactionScope(transaction, settings_) {}

TransactionScope::TransactionScope(Transaction* transaction, const TransactionSettings& settings)
    : outer_(current_), outerSettings_(settings_), hadScope_(hasScope) {
    current_ = transaction;
    settings_ = settings;
    hasScope = true;
}

TransactionScope::~TransactionScope() {
    current_ = outer_;
    settings_ = outerSettings_;
    hasScope = hadScope_;
}

Transaction* TransactionScope::current() {
    return current_;
}

TransactionSettings TransactionScope::settings() {
    return settings_;
}

void TransactionScope::set(Transaction* transaction) {
    CHECK(hasScope) << "a transaction begins within a statement";
    current_ = transaction;
}

}  // namespace pelorus
