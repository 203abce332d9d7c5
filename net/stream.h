// Stream is a bidirectional stream of bytes over a descriptor: plain TCP, or TLS on it. None of its calls blocks.
//
// A caller that has to wait polls the descriptor for the event that the result names, and calls again. One thread may
// read while another one writes; any thread may call `shutdown`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace pelorus {

// The outcome of a call that moves bytes.
enum class IoState : uint8_t {
    Done,        // `bytes` bytes were moved, at least one
    WouldRead,   // nothing was moved: the descriptor must become readable first
    WouldWrite,  // nothing was moved: the descriptor must become writable first
    Ended,       // the peer has closed its direction, or the connection is broken
};

// The outcome and the number of bytes that were moved.
struct IoResult {
    IoState state = IoState::Ended;
    size_t bytes = 0;
};

// The interface that Connection reads and writes by.
class Stream {
public:
    virtual ~Stream() = default;
    // Move as many bytes as are possible at once. They throw SystemError (retryable) for errors other than the end of
    // the stream.
    virtual IoResult readSome(char* target, size_t sizeBytes) = 0;
    virtual IoResult writeSome(const char* bytes, size_t sizeBytes) = 0;
    virtual int descriptor() const = 0;
    // Ends our direction; the peer may still send.
    virtual void closeForWriting() = 0;
    // Ends both directions and wakes threads that wait for the descriptor. Any thread.
    virtual void shutdown() = 0;
};

// An unencrypted TCP socket. Owns the descriptor, which it makes non-blocking and closes.
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
    // Lets bytes wait for a peer that takes none as long as its machine answers.
    void awaitSlowPeer();

private:
    int descriptor_;
};

}  // namespace pelorus
