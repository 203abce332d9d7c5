#include "storage/version/idempotency_table.h"

#include "common/check.h"

namespace pelorus {

AppendAnswers::Turn::Turn(AppendAnswers& answers, std::string id) : answers_(answers), id_(std::move(id)) {
    if (id_.empty()) return;
    MutexLock lock(answers_.mutex_);
    while (answers_.running_.count(id_) != 0) answers_.ended_.wait(lock);
    const auto known = answers_.numbers_.find(id_);
    if (known != answers_.numbers_.end()) {
        answer_ = known->second;
    } else {
        answers_.running_.insert(id_);
    }
}

AppendAnswers::Turn::~Turn() {
    if (id_.empty() || answer_ != 0) return;
    {
        const MutexLock guard(answers_.mutex_);
        answers_.running_.erase(id_);
    }
    answers_.ended_.notifyAll();
}

void AppendAnswers::note(const std::string& id, uint64_t number) {
    CHECK(number != 0) << "0 stands for an append that was not stored";
    const MutexLock guard(mutex_);
    if (!numbers_.emplace(id, number).second) return;
    order_.push_back(id);
    CHECK(order_.size() == numbers_.size()) << "each remembered append has its place in the order";
    if (order_.size() <= kKept) return;
    numbers_.erase(order_.front());
    order_.pop_front();
}

std::vector<std::pair<std::string, uint64_t>> AppendAnswers::all() const {
    const MutexLock guard(mutex_);
    std::vector<std::pair<std::string, uint64_t>> answers;
    answers.reserve(order_.size());
    for (const std::string& id : order_) answers.emplace_back(id, numbers_.at(id));
    return answers;
}

}  // namespace pelorus
