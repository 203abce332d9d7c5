#include "common/thread/cancellation.h"

#include "common/error.h"

namespace pelorus {

constinit static thread_local const CancellationFlag* current_ = nullptr;

CancellationScope::CancellationScope(const CancellationFlag* flag) : outer_(current_) {
    current_ = flag;
}

CancellationScope::~CancellationScope() {
    current_ = outer_;
}

const CancellationFlag* CancellationScope::current() {
    return current_;
}

void checkCancelled() {
    if (current_ && current_->load(std::memory_order_relaxed)) throw UserError("The task was cancelled.");
}

}  // namespace pelorus
