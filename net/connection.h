// Connection is a stream of bytes with time limits: plain TCP, TLS, or WebSocket messages over either.
//
// One thread owns it. Other threads may call `write` (each call is one message, and waits for those before it),
// `shutdown`, `peerHasLeft` and `pollPeer`. Every wait is cut into short pieces, between which the idle check runs: it
// throws to end the wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "net/stream.h"
#include "runtime/serialize/value_codec.h"

namespace pelorus {

class TlsContext;
class TlsStream;
namespace web_socket {
class FrameReader;
enum class CloseCode : uint16_t;
enum class Opcode : uint8_t;
}  // namespace web_socket

// The error of a connection that the other machine refused: it can be reached, but no process listens on the port.
class ConnectionRefused final : public SystemError {
public:
    using SystemError::SystemError;
};

// One TCP connection, opened by `open` or accepted by Acceptor. Closes its socket when destroyed.
class Connection final : public ByteSource {
public:
    // Connects. Throws SystemError naming host and port when no peer answers in time, ConnectionRefused when it
    // refuses.
    static std::unique_ptr<Connection> open(const std::string& host, int port, int timeoutMillis);
    // Takes ownership of a connected socket.
    explicit Connection(int descriptor);
    ~Connection() override;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // Reads exactly so many bytes. All reads wait, and throw SystemError naming the peer when the peer closes the
    // stream.
    void read(void* target, size_t sizeBytes) override;
    // Reads up to the next zero byte, which is consumed and not returned.
    void readUntilZero(std::string& string, size_t limitBytes) override;
    // Reads up to the next '\n', which is consumed and not returned. Throws UserError when there is none within
    // `limitBytes`.
    std::string readLine(size_t limitBytes);
    // Returns the next bytes without consuming them: all that have arrived, fewer than asked for only at the end of the
    // stream.
    std::string_view peek(size_t sizeBytes);
    // Waits for at least one byte and returns all that have arrived; empty at the end of the stream. `skip` consumes
    // some.
    std::string_view peekSome() { return peek(1); }
    void skip(size_t sizeBytes) { begin_ += sizeBytes; }
    // Returns whether bytes have arrived that were not read. A TLS stream may hold more.
    bool hasUnread() const { return begin_ != end_; }

    // Writes one message. Waits while the peer accepts no bytes, at most kWriteLimit without progress. Throws
    // SystemError when the connection is broken.
    void write(std::string_view bytes) { write({}, bytes); }
    // Writes two parts as one message without copying either.
    void write(std::string_view first, std::string_view second) LOCKS_EXCLUDED(writing_);
    // Writes pieces as one message; copies only short ones.
    void write(const std::vector<std::string_view>& pieces) LOCKS_EXCLUDED(writing_);
    // The time after which a peer that accepts no byte is treated as gone.
    static constexpr auto kWriteLimit = std::chrono::seconds(60);
    // Lets writes wait for a peer that accepts no bytes as long as its machine answers.
    void awaitSlowPeer();

    // Sets a function that runs whenever a read or write has to wait, then about ten times a second; it throws to end
    // the wait. Empty: reads wait for ever.
    void setIdleCheck(std::function<void()> check) { idleCheck_ = std::move(check); }
    // Sets a hook that runs when a read has waited for a second, once a wait.
    void setRestHook(std::function<void()> rest) { restHook_ = std::move(rest); }
    // Sets the interval of the idle check while a read waits, in milliseconds.
    void setTimeout(int millis) { timeoutMillis_ = millis; }

    // Returns the first byte of the peer without consuming it if it has arrived, and -1 if it has not. REQUIRES:
    // nothing was read yet.
    int arrivedByte() const;
    // Waits for the first byte of the peer and returns it without consuming it: later bytes may belong to TLS. Returns
    // 0 at the end of the stream. REQUIRES: nothing was read yet.
    char sniff();
    // Encrypts the stream from here on: as the server's side of a handshake, or as a client that expects `host` on the
    // other side. Throws SystemError when the handshake fails. REQUIRES: all that has arrived was read: bytes before
    // the handshake were not encrypted.
    void beginTls(const TlsContext& context, const std::string& host = "");
    bool isEncrypted() const { return stream_ != &socket_; }
    // Returns the SHA-256 of the peer's certificate in hexadecimal digits; empty without TLS.
    std::string peerFingerprint() const;
    // Speaks WebSocket from here on: bytes are the payload of binary messages, and each write is one message.
    void beginWebSocket();
    bool isWebSocket() const { return frames_ != nullptr; }
    // Sets the maximum size of an accepted WebSocket message.
    void setMessageLimit(int64_t sizeBytes);
    // Sends a close frame with the reason and ends the connection.
    void closeWebSocket(web_socket::CloseCode code, std::string_view reason);

    // Returns the number of bytes that have arrived so far.
    int64_t receivedBytes() const { return receivedBytes_; }

    // Closes our direction, then reads and drops the peer's bytes, until it closes its direction, within the time and
    // 16 MiB: closing at once, with bytes unread, would make the system throw away the answer that was just written.
    // Throws nothing.
    void drain(int timeoutMillis);
    // Drains a peer that is in the middle of a long message: reads and drops its bytes as long as some arrive within
    // `silenceMillis`, at most for `timeoutMillis` in total, so that it can read why the message was refused.
    void drainMessage(int silenceMillis, int timeoutMillis);
    // These are the two halves of `drain` without waiting, for callers that handle many connections. `dropArrived`
    // returns true when the peer has closed.
    void closeForWriting();
    bool dropArrived();

    // Ends both directions; a thread that waits in a read or write gets a SystemError. Any thread.
    void shutdown();
    // Polls while the owner works on a request and reads nothing: buffers arrived bytes of TLS and WebSocket, up to 64
    // KiB, answers pings, and sends one when it is due. Returns true when the peer has closed its side. REQUIRES: the
    // owner does not read meanwhile.
    bool pollPeer();

    // Returns true when the peer has closed its side; consumes no bytes. Any thread.
    bool peerHasLeft() const;

    // Returns the address and port of the peer, such as "127.0.0.1:8848".
    const std::string& peerAddress() const { return peerAddress_; }
    std::string peerHost() const;
    int peerPort() const;

private:
    using Clock = std::chrono::steady_clock;

    bool fill();
    size_t readStraight(char* target, size_t sizeBytes);
    IoResult fillOnce();
    void takeFrames(std::string_view bytes);
    void waitFor(short events);
    void send(std::string_view bytes) EXCLUSIVE_LOCKS_REQUIRED(writing_);
    void answerControl(web_socket::Opcode opcode, std::string_view payload);
    void pingWhenDue();
    bool trySend(std::string_view bytes) NO_THREAD_SAFETY_ANALYSIS;  // locks only if it need not wait
    std::string_view makeRoom(size_t sizeBytes);
    [[noreturn]] void throwClosed() const;

    Stream& stream() const { return *stream_; }

    // Other threads may use the streams while the owner puts TLS on the socket: the socket is not moved, and the
    // pointer changes once.
    PlainStream socket_;
    std::unique_ptr<TlsStream> tls_;
    std::atomic<Stream*> stream_{&socket_};
    std::unique_ptr<web_socket::FrameReader> frames_;
    std::string peerAddress_;
    std::function<void()> idleCheck_;
    std::function<void()> restHook_;
    // Arrived bytes that were not consumed are at [begin_, end_). The buffer is allocated only while it holds bytes: an
    // idle connection has none.
    std::string buffer_;
    size_t begin_ = 0;
    size_t end_ = 0;
    int64_t receivedBytes_ = 0;
    int timeoutMillis_ = 100;
    bool awaitsSlowPeer_ = false;
    bool wasFull_ = false;  // the last read filled the buffer
    // The peer sent a close frame, or was sent one: nothing is read or written any more.
    std::atomic<bool> hasEnded_{false};
    Clock::time_point pinged_ = Clock::now();

    Mutex writing_;                                  // held while one message is written
    bool cannotWrite_ GUARDED_BY(writing_) = false;  // half a message was written
};

// A listening TCP socket. It belongs to one thread.
class Acceptor {
public:
    // Listens on the address; port 0 selects any free one. Throws SystemError naming the address when the port is in
    // use.
    Acceptor(const std::string& host, int port);
    ~Acceptor();

    int port() const { return port_; }
    // Returns the next connection, or nullptr when none comes within the time.
    std::unique_ptr<Connection> accept(int timeoutMillis);
    // Returns the next connection to either of two; `other` may be null.
    std::unique_ptr<Connection> acceptWith(Acceptor* other, int timeoutMillis);

private:
    class Socket;
    std::unique_ptr<Socket> socket_;
    int port_ = 0;
};

}  // namespace pelorus
