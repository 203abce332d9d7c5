#include "runtime/function/context.h"

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

Request::Request(std::shared_ptr<const Principal> principal) : principal_(principal.get()) {
    CHECK(principal != nullptr) << "every request has a principal";
    principals_.push_back(std::move(principal));
}

std::shared_ptr<const Principal> Request::sharedPrincipal() const {
    const MutexLock lock(mutex_);
    return principals_.back();
}

// The former ones stay: other threads of the request may be asking them.
void Request::setPrincipal(std::shared_ptr<const Principal> principal) {
    CHECK(principal != nullptr) << "every request has a principal";
    const MutexLock lock(mutex_);
    principal_.store(principal.get(), std::memory_order_release);
    principals_.push_back(std::move(principal));
}

void Context::stop() const {
    if (request->cancelled.load(std::memory_order_relaxed)) throw UserError("The task was cancelled.");
    memory::checkLimit();
}

}  // namespace pelorus
