// ConsoleReporter reports the progress of a statement to the `pelorus` console while it runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "common/thread/mutex.h"
#include "net/console_message.h"
#include "runtime/function/progress.h"

namespace pelorus {

// The reporter of one request: it is made before the request begins and destroyed after it has ended. Its thread sends
// the progress four times a second, from the first second on. `print`, `notice` and `progress` may be used by any
// thread until `finish`.
class ConsoleReporter {
public:
    // `send` frames and writes a message; it is called by several threads.
    explicit ConsoleReporter(std::function<void(std::string_view)> send);
    ~ConsoleReporter();
    ConsoleReporter(const ConsoleReporter&) = delete;
    ConsoleReporter& operator=(const ConsoleReporter&) = delete;

    // Sends what the script prints, at once. Throws what `send` throws.
    void print(std::string_view string) { tell(ConsoleMessage::Kind::Print, string); }
    // Sends a remark for the person at the console, at once. Throws what `send` throws.
    void notice(std::string_view string) { tell(ConsoleMessage::Kind::Notice, string); }
    // Returns the counters that the request updates and the reporter reads.
    Progress& progress() { return progress_; }
    // Ends the reports, and sends the numbers of changed rows, if any. Called once, before the answer is written.
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
