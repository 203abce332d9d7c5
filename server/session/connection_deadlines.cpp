#include "server/session/connection_deadlines.h"

#include <string>

#include "common/error.h"

namespace pelorus {
namespace {

std::string seconds(int64_t millis) {
    return std::to_string((millis + 999) / 1000) + " s";
}

}  // namespace

ConnectionDeadlines::ConnectionDeadlines(const ClientPolicy& policy)
    : policy_(policy), mustLogIn_(!policy.guestsMayRun) {}

void ConnectionDeadlines::enter(Stage stage, int64_t receivedBytes) {
    stage_ = stage;
    began_ = Clock::now();
    receivedBefore_ = receivedBytes;
}

void ConnectionDeadlines::loggedOut() {
    if (mustLogIn_ || policy_.guestsMayRun) return;
    mustLogIn_ = true;
    unauthenticatedSince_ = Clock::now();
}

void ConnectionDeadlines::check(int64_t receivedBytes) const {
    if (stage_ == Stage::Work) return;
    const auto millisSince = [now = Clock::now()](Clock::time_point t) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(now - t).count();
    };
    if (mustLogIn_ && millisSince(unauthenticatedSince_) > policy_.loginMillis) {
        throw UserError("Nobody logged in within " + seconds(policy_.loginMillis) + ".", "Connect again and log in.");
    }
    const int64_t elapsed = millisSince(began_);
    if (stage_ == Stage::Headers && elapsed > policy_.headerMillis) {
        throw UserError("The headers of a request did not come within " + seconds(policy_.headerMillis) + ".");
    }
    if (stage_ == Stage::HttpIdle && elapsed > policy_.httpIdleMillis) {
        throw UserError("No request came within " + seconds(policy_.httpIdleMillis) + ".");
    }
    if (stage_ == Stage::Line && elapsed > policy_.lineMillis) {
        throw UserError("No request came within " + seconds(policy_.lineMillis) + ".");
    }
    if (stage_ == Stage::Body && elapsed > policy_.slowAfterMillis &&
        (receivedBytes - receivedBefore_) * 1000 < policy_.bytesPerSecond * elapsed) {
        throw UserError("A request came slower than " + std::to_string(policy_.bytesPerSecond) + " bytes a second.");
    }
}

}  // namespace pelorus
