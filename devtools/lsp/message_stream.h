// MessageStream reads and writes the framed messages of the language server protocol over two descriptors.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/thread/mutex.h"

namespace pelorus {

// A stream of messages with a Content-Length header. One thread owns it, but any may send. The caller closes the
// descriptors.
class MessageStream {
public:
    MessageStream(int input, int output) : input_(input), output_(output) {}

    // Reads the bytes that have arrived, waiting for the first one at most so long; -1 waits without limit. Returns
    // false when the input has ended or violates the protocol: a header beyond 16 KiB, a message beyond 64 MiB.
    bool receive(int timeoutMillis);
    // Sets a function that gets each message when it arrives, before `next` returns it.
    void watch(std::function<void(std::string_view)> watcher) { watcher_ = std::move(watcher); }
    // Removes and returns the oldest complete message; nullopt when there is none.
    std::optional<std::string> next();
    bool hasMessage() const { return !messages_.empty(); }
    // Writes a message. Throws SystemError when the reader is gone.
    void send(std::string_view message);

private:
    bool split();

    int input_, output_;
    Mutex sending_;  // held while one message is written
    std::string buffer_;
    std::deque<std::string> messages_;
    std::function<void(std::string_view)> watcher_;
};

}  // namespace pelorus
