// A two-way stream of bytes over a descriptor, none of whose calls blocks: plain TCP, or TLS on it.
//
// A caller that has to wait polls the descriptor for the event that the result names, and calls again. Concurrent
// reading and writing by two threads is allowed; `shutdown` may come from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pelorus {

enum class IoState : uint8_t {
    Done,        // `bytes` of them were moved, at least one
    WouldRead,   // nothing was moved: the descriptor has to become readable first,
    WouldWrite,  // or writable
    Ended,       // the peer has closed its direction, or the connection is broken
};

struct IoResult {
    IoState state = IoState::Ended;
    size_t bytes = 0;
};

class Stream {
public:
    virtual ~Stream() = default;
    // Throw SystemError (retryable) for what is no end of the stream.
    virtual IoResult readSome(char* target, size_t sizeBytes) = 0;
    virtual IoResult writeSome(const char* bytes, size_t sizeBytes) = 0;
    virtual int descriptor() const = 0;
    // Ends our direction; the peer's goes on.
    virtual void closeForWriting() = 0;
    // Ends both; whoever waits for the descriptor wakes up.
    virtual void shutdown() = 0;
};

// TCP as it is. Owns the descriptor, which it makes non-blocking.
class PlainStream final : public Stream {
public:
    explicit PlainStream(int descriptor);
    ~PlainStream() override;
    PlainStream(const PlainStream&) = delete;
    PlainStream& operator=(const PlainStream&) = delete;

    IoResult readSome(char* target, size_t sizeBytes) override;
    IoResult writeSome(const char* bytes, size_t sizeBytes) override;
    int descriptor() const override { return descriptor_; }
    void closeForWriting() override;
    void shutdown() override;

private:
    int descriptor_;
};

}  // namespace pelorus
