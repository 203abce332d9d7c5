#include "server/postgres/transaction_state.h"

#include "postgres/sql_error.h"

namespace pelorus::postgres {

constexpr size_t kMaxSavepoints = 10'000;

char TransactionState::letter() const {
    switch (status_) {
        case Status::None:
            return 'I';
        case Status::Open:
            return 'T';
        case Status::Failed:
            return 'E';
    }
    return 'I';
}

void TransactionState::begin() {
    status_ = Status::Open;
    savepoints_.clear();
}

void TransactionState::end() {
    status_ = Status::None;
    savepoints_.clear();
}

void TransactionState::fail() {
    if (isOpen()) status_ = Status::Failed;
}

void TransactionState::savepoint(std::string name) {
    if (!isOpen()) throw SqlError("25P01", "SAVEPOINT can only be used in transaction blocks");
    if (savepoints_.size() >= kMaxSavepoints)
        throw SqlError(sql_state::kProgramLimit, "a transaction has at most 10000 savepoints");
    savepoints_.push_back(std::move(name));
}

size_t TransactionState::release(std::string_view name) {
    const size_t place = find(name, "RELEASE SAVEPOINT");
    savepoints_.resize(place);
    return place;
}

size_t TransactionState::rollbackTo(std::string_view name) {
    const size_t place = find(name, "ROLLBACK TO SAVEPOINT");
    savepoints_.resize(place + 1);
    status_ = Status::Open;
    return place + 1;
}

size_t TransactionState::find(std::string_view name, const char* statement) const {
    if (!isOpen()) throw SqlError("25P01", std::string(statement) + " can only be used in transaction blocks");
    for (size_t i = savepoints_.size(); i > 0; --i)
        if (savepoints_[i - 1] == name) return i - 1;
    throw SqlError("3B001", "savepoint \"" + std::string(name) + "\" does not exist");
}

}  // namespace pelorus::postgres
