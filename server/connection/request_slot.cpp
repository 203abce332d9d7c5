#include "server/connection/request_slot.h"

#include "common/check.h"

namespace pelorus {

RequestSlot::Run::Run(RequestSlot& slot, SessionRegistry& sessions, Details details)
    : slot_(slot),
      sessions_(sessions),
      sessionId_(details.sessionId),
      request_(std::make_shared<Request>(std::move(details.principal))) {
    CHECK(!slot.isBusy()) << "a connection runs one request at a time";
    request_->sessionId = sessionId_;
    request_->print = std::move(details.print);
    request_->notice = std::move(details.notice);
    request_->progress = details.progress;
    RunningRequest running;
    running.rootJobId = newJobId();
    running.description = std::move(details.description);
    running.priority = details.priority;
    running.parallelism = details.parallelism;
    running.request = request_;
    sessions.began(sessionId_, std::move(running));
    const MutexLock lock(slot.mutex_);
    slot.running_ = request_;
    slot.endsWithClient_ = details.endsWithClient;
    if (slot.stopping_) request_->cancelled = true;
}

RequestSlot::Run::~Run() {
    sessions_.ended(sessionId_);
    const MutexLock lock(slot_.mutex_);
    slot_.running_.reset();
}

void RequestSlot::stop() {
    const MutexLock lock(mutex_);
    stopping_ = true;
    if (running_) running_->cancelled = true;
}

void RequestSlot::cancelIf(const std::function<bool()>& isGone) {
    const MutexLock lock(mutex_);
    if (running_ && isGone() && endsWithClient_) running_->cancelled = true;
}

bool RequestSlot::isBusy() const {
    const MutexLock lock(mutex_);
    return running_ != nullptr;
}

}  // namespace pelorus
