#include "server/connection/console_reporter.h"

#include <chrono>
#include <exception>

#include "common/thread/thread_start.h"

namespace pelorus {

ConsoleReporter::ConsoleReporter(std::function<void(std::string_view)> send) : send_(std::move(send)) {
    thread_ = startThread([this] { run(); });
}

ConsoleReporter::~ConsoleReporter() {
    stop();
}

void ConsoleReporter::stop() {
    if (!thread_.joinable()) return;
    {
        const MutexLock lock(mutex_);
        isStopped_ = true;
    }
    stopped_.notifyAll();
    thread_.join();
}

void ConsoleReporter::run() {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds kQuiet{1};
    constexpr std::chrono::milliseconds kPause{250};
    bool isActive = false;
    Clock::time_point next = Clock::now() + kQuiet;
    MutexLock lock(mutex_);
    while (!isStopped_) {
        stopped_.waitUntil(lock, next);
        if (isStopped_ || Clock::now() < next) continue;
        next = Clock::now() + kPause;
        const Progress::Snapshot now = progress_.snapshot();
        if (!now.work && !isActive) continue;
        isActive = now.work != nullptr;
        ConsoleMessage message;
        message.kind = ConsoleMessage::Kind::Progress;
        message.string = isActive ? now.work : "";
        message.unit = now.unit;
        message.done = now.done;
        message.total = now.total;
        lock.unlock();  // the client may be slow
        try {
            send_(formatConsoleMessage(message));
        } catch (const std::exception&) {
            return;  // the client has left, which the request's thread notices, too
        }
        lock.lock();
    }
}

void ConsoleReporter::tell(ConsoleMessage::Kind kind, std::string_view string) {
    ConsoleMessage message;
    message.kind = kind;
    message.string = string;
    send_(formatConsoleMessage(message));
}

void ConsoleReporter::finish() {
    stop();
    ConsoleMessage message;
    message.kind = ConsoleMessage::Kind::Changed;
    message.changed = progress_.changedRows();
    if (message.changed.appended > 0 || message.changed.replaced > 0) send_(formatConsoleMessage(message));
}

}  // namespace pelorus
