#include "storage/commit/idempotency_table.h"

#include "common/check.h"

namespace pelorus {

IdempotencyTable::Turn::Turn(IdempotencyTable& table, std::string id) : table_(table), id_(std::move(id)) {
    if (id_.empty()) return;
    MutexLock lock(table_.mutex_);
    while (table_.running_.count(id_) != 0) table_.ended_.wait(lock);
    const auto known = table_.numbers_.find(id_);
    if (known != table_.numbers_.end()) {
        answer_ = known->second;
    } else {
        table_.running_.insert(id_);
    }
}

IdempotencyTable::Turn::~Turn() {
    if (id_.empty() || answer_ != 0) return;
    {
        const MutexLock guard(table_.mutex_);
        const size_t running = table_.running_.erase(id_);
        CHECK_FATAL(running == 1) << "an append has its turn until it ends";
    }
    table_.ended_.notifyAll();
}

void IdempotencyTable::note(const std::string& id, uint64_t number) {
    CHECK(number != 0) << "0 stands for an append that was not stored";
    const MutexLock guard(mutex_);
    if (!numbers_.emplace(id, number).second) return;
    order_.push_back(id);
    CHECK(order_.size() == numbers_.size()) << "each remembered append has its place in the order";
    if (order_.size() <= kKept) return;
    numbers_.erase(order_.front());
    order_.pop_front();
}

std::vector<std::pair<std::string, uint64_t>> IdempotencyTable::all() const {
    const MutexLock guard(mutex_);
    std::vector<std::pair<std::string, uint64_t>> table;
    table.reserve(order_.size());
    for (const std::string& id : order_) table.emplace_back(id, numbers_.at(id));
    return table;
}

}  // namespace pelorus
