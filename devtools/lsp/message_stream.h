// Framed messages of the language server protocol over two descriptors.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/thread/mutex.h"

namespace pelorus {

// Reads and writes messages with a Content-Length header. Owned by one thread, but any may
// send; the descriptors stay the caller's.
class MessageStream {
public:
    MessageStream(int input, int output) : input_(input), output_(output) {}

    // Takes what has arrived, waiting for the first byte at most so long; -1 waits without end. Returns false when the
    // input has ended or breaks the protocol: a header beyond 16 KiB, a message beyond 64 MiB.
    bool receive(int timeoutMillis);
    // Shows each message as it arrives, before those that wait are taken.
    void watch(std::function<void(std::string_view)> watcher) { watcher_ = std::move(watcher); }
    // Returns the oldest message that is whole, nothing when there is none.
    std::optional<std::string> next();
    bool hasMessage() const { return !messages_.empty(); }
    // Throws SystemError when the reader is gone.
    void send(std::string_view message);

private:
    bool split();

    int input_, output_;
    Mutex sending_;  // one message at a time
    std::string buffer_;
    std::deque<std::string> messages_;
    std::function<void(std::string_view)> watcher_;
};

}  // namespace pelorus
