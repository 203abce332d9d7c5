#include "server/session/request_slot.h"

#include <fmt/format.h>

#include <utility>

#include "common/check.h"
#include "common/thread/thread_priority.h"
#include "runtime/function/principal.h"

namespace pelorus {
namespace {

// From then on a request makes way for those that just came.
constexpr double kLoweredAfterSeconds = 1;

}  // namespace

RequestSlot::Run::Run(RequestSlot& slot, SessionRegistry& sessions, Details details)
    : slot_(slot),
      sessions_(sessions),
      sessionId_(details.sessionId),
      progress_(details.progress ? nullptr : std::make_shared<Progress>()),
      request_(std::make_shared<Request>(std::move(details.principal))),
      arena_(std::make_shared<WorkArena>(details.parallelism)),
      work_(*arena_) {
    if (const Principal& who = request_->principal(); !who.powers().everything && !who.isNode())
        arena_->setLastingShare(LastingShare::ofUser(who.user()));
    CHECK(!slot.isBusy()) << "a connection runs one request at a time";
    request_->sessionId = sessionId_;
    request_->print = std::move(details.print);
    request_->notice = std::move(details.notice);
    request_->progress = details.progress ? details.progress : progress_.get();
    RunningRequest running;
    running.rootJobId = newJobId();
    running.description = std::move(details.description);
    running.priority = details.priority;
    running.parallelism = details.parallelism;
    running.request = request_;
    running.progress = progress_;
    sessions.began(sessionId_, std::move(running));
    const MutexLock lock(slot.mutex_);
    slot.running_ = request_;
    slot.arena_ = arena_;
    slot.began_ = slot.tended_ = std::chrono::steady_clock::now();
    slot.isWaiting_ = std::move(details.isWaiting);
    slot.threadId_ = currentThreadId();
    slot.isUrgent_ = details.isUrgent;
    slot.ownMaxSeconds_ = details.maxSeconds;
    slot.overSeconds_ = 0;
    slot.endsWithClient_ = details.endsWithClient;
    if (slot.stopping_) request_->cancelled = true;
}

RequestSlot::Run::~Run() {
    sessions_.ended(sessionId_);
    const MutexLock lock(slot_.mutex_);
    slot_.running_.reset();
    slot_.isWaiting_ = {};
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

void RequestSlot::tend(double maxSeconds) {
    const MutexLock lock(mutex_);
    if (!running_) return;
    const auto now = std::chrono::steady_clock::now();
    if (isWaiting_ && isWaiting_()) began_ += now - tended_;
    tended_ = now;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    const bool isOwn = ownMaxSeconds_ > 0 && (maxSeconds == 0 || ownMaxSeconds_ < maxSeconds);
    if (isOwn) maxSeconds = ownMaxSeconds_;
    if (maxSeconds > 0 && seconds > maxSeconds && overSeconds_ == 0) {
        isOverOwn_ = isOwn;
        overSeconds_ = maxSeconds;
        running_->cancelled = true;
    }
    if (isUrgent_ || isLowered_ || seconds < kLoweredAfterSeconds) return;
    // The request's thread leaves `running_` before it goes on to anything else, so it is the right thread.
    isLowered_ = true;
    if (const auto arena = arena_.lock()) arena->lower();
    lowerThread(threadId_);
}

bool RequestSlot::takeLowered() {
    const MutexLock lock(mutex_);
    return std::exchange(isLowered_, false);
}

std::string RequestSlot::explain(std::string failure) const {
    const MutexLock lock(mutex_);
    if (overSeconds_ == 0) return failure;
    if (isOverOwn_) return "canceling statement due to statement timeout";
    return fmt::format("The request ran longer than the {} seconds that maxQueryExecutionTime allows.", overSeconds_);
}

bool RequestSlot::isBusy() const {
    const MutexLock lock(mutex_);
    return running_ != nullptr;
}

}  // namespace pelorus
