// One TCP connection as a stream of bytes with time limits.
//
// Owned by one thread; only `shutdown` and `peerHasLeft` may be called from others. Every wait is cut into short
// pieces, between which the idle check runs: it throws to give the wait up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/serialize/value_codec.h"

namespace pelorus {

class Connection final : public ByteSource {
public:
    // Throws SystemError naming host and port when nobody answers in time.
    static std::unique_ptr<Connection> open(const std::string& host, int port, int timeoutMillis);
    // Takes over a connected socket.
    explicit Connection(int descriptor);
    ~Connection() override;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Reads throw SystemError when the peer closes the stream, naming the peer.
    void read(void* target, size_t sizeBytes) override;
    void readUntilZero(std::string& text, size_t limitBytes) override;
    // Up to the next '\n', which is taken and left out. Throws UserError when there is none within `limitBytes`.
    std::string readLine(size_t limitBytes);
    // The next bytes without taking them: all that have arrived, fewer than asked for only at the end of the stream.
    std::string_view peek(size_t sizeBytes);

    // Whatever has arrived, at least one byte; empty at the end of the stream. `skip` takes some of it.
    std::string_view peekSome() { return peek(1); }
    void skip(size_t sizeBytes) { begin_ += sizeBytes; }

    void write(std::string_view bytes);

    // Runs whenever a read or write has to wait, then about ten times a second. Empty: waits for ever.
    void setIdleCheck(std::function<void()> check) { idleCheck_ = std::move(check); }

    // All bytes that have arrived so far.
    int64_t receivedBytes() const { return receivedBytes_; }

    // Closes our direction, then takes and drops what the peer still sends, until it closes its own, within the time
    // and 16 MiB: closing at once, with bytes unread, would make the system throw away the answer that was just
    // written. Throws nothing.
    void drain(int timeoutMillis);
    // The two halves of it without waiting, for who looks after many connections. `dropArrived` is true when the peer
    // has closed.
    void closeForWriting();
    bool dropArrived();

    // Ends both directions; a thread that waits in a read or write gets a SystemError. Any thread.
    void shutdown();
    // True when the peer closed its side. Any thread; takes no bytes.
    bool peerHasLeft() const;

    // "127.0.0.1:8848"
    const std::string& peerAddress() const { return peerAddress_; }
    std::string peerHost() const;
    int peerPort() const;

private:
    class Socket;

    bool fill();
    void waitFor(short events);

    std::unique_ptr<Socket> socket_;
    std::string peerAddress_;
    std::function<void()> idleCheck_;
    std::string buffer_;
    size_t begin_ = 0;
    size_t end_ = 0;
    int64_t receivedBytes_ = 0;
};

// Accepts TCP connections on one address. Throws SystemError naming it when the port is taken.
class Acceptor {
public:
    // Port 0 takes any free one.
    Acceptor(const std::string& host, int port);
    ~Acceptor();

    int port() const { return port_; }
    // The next connection, or nullptr when none came within the time.
    std::unique_ptr<Connection> accept(int timeoutMillis);

private:
    class Socket;
    std::unique_ptr<Socket> socket_;
    int port_ = 0;
};

}  // namespace pelorus
