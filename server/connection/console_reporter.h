// Reports the progress of a statement to a console of ours while it runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "common/thread/mutex.h"
#include "net/console_message.h"
#include "runtime/function/progress.h"

namespace pelorus {

// Reporter of one request: made before the request begins and destroyed after it has ended. Its thread sends the
// progress four times a second, from the first second on; `finish` sends the changes since, before the answer.
class ConsoleReporter {
public:
    // `send` frames and writes a message; it is called by several threads.
    explicit ConsoleReporter(std::function<void(std::string_view)> send);
    ~ConsoleReporter();
    ConsoleReporter(const ConsoleReporter&) = delete;
    ConsoleReporter& operator=(const ConsoleReporter&) = delete;

    void print(std::string_view string) { tell(ConsoleMessage::Kind::Print, string); }
    void notice(std::string_view string) { tell(ConsoleMessage::Kind::Notice, string); }
    Progress& progress() { return progress_; }
    void finish();

private:
    void run();
    void tell(ConsoleMessage::Kind kind, std::string_view string);
    void stop();

    const std::function<void(std::string_view)> send_;
    Progress progress_;
    Mutex mutex_;
    CondVar stopped_;
    bool isStopped_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

}  // namespace pelorus
