#include "common/check.h"

#include <cstdio>
#include <cstdlib>

#include "common/log.h"

namespace pelorus::check {

Message::Message(const char* file, int line, const char* condition, const Outcome& outcome)
    : string_(fmt::format("CHECK({}) failed: {} ({}:{}): ", condition, outcome.failure ? *outcome.failure : "", file,
                          line)) {}

void ThrowFailure::operator&(const Message& message) const {
    logError("check", message.string());
    throw CheckFailure(message.string() + ".");
}

void AbortProcess::operator&(const Message& message) const noexcept {
    logError("check", message.string() + "; the process ends");
    flushLog();
    std::abort();
}

}  // namespace pelorus::check
