#include "net/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "net/tls_stream.h"
#include "net/web_socket_frames.h"

namespace pelorus {
namespace {

using boost::asio::ip::tcp;

constexpr size_t kBufferBytes = 64 * 1024, kSmallBufferBytes = 4096;
// Pieces of a message that are shorter are copied together.
constexpr size_t kShortPieceBytes = 16 * 1024;
constexpr int kIdleMillis = 100;
constexpr int kRestMillis = 1000;
constexpr auto kPingEvery = std::chrono::seconds(30);
constexpr int kHandshakeMillis = 10'000;
constexpr const char* kUnreachableHint = "Check that a Pelorus server runs there and that the address is right.";

std::string addressString(const tcp::endpoint& endpoint) {
    return endpoint.address().to_string() + ':' + std::to_string(endpoint.port());
}

std::string peerString(int descriptor) {
    tcp::endpoint endpoint;
    auto size = static_cast<socklen_t>(endpoint.capacity());
    if (::getpeername(descriptor, endpoint.data(), &size) != 0) return "a client that has left";
    endpoint.resize(size);
    return addressString(endpoint);
}

[[noreturn]] void unreachable(const std::string& address, const std::string& reason) {
    throw SystemError("Cannot connect to " + address + ": " + reason + ".", kUnreachableHint, true);
}

short eventsOf(IoState state) {
    return state == IoState::WouldWrite ? POLLOUT : POLLIN;
}

}  // namespace

std::unique_ptr<Connection> Connection::open(const std::string& host, int port, int timeoutMillis) {
    const std::string address = host + ':' + std::to_string(port);
    boost::asio::io_context context;
    boost::system::error_code error;
    const auto endpoints = tcp::resolver(context).resolve(host, std::to_string(port), error);
    if (error) unreachable(address, error.message());
    tcp::socket socket(context);
    error = boost::asio::error::timed_out;
    boost::asio::async_connect(
        socket, endpoints, [&error](const boost::system::error_code& result, const tcp::endpoint&) { error = result; });
    context.run_for(std::chrono::milliseconds(timeoutMillis));
    if (error == boost::asio::error::connection_refused)
        throw ConnectionRefused("Cannot connect to " + address + ": " + error.message() + ".", kUnreachableHint, true);
    if (error) unreachable(address, error.message());
    return std::make_unique<Connection>(socket.release());
}

Connection::Connection(int descriptor) : socket_(descriptor), peerAddress_(peerString(descriptor)) {}

Connection::~Connection() = default;

void Connection::throwClosed() const {
    throw SystemError(peerAddress_ + " closed the connection.", "", true);
}

void Connection::waitFor(short events) {
    // An idle connection holds no buffer.
    if (begin_ == end_ && events == POLLIN) {
        std::string().swap(buffer_);  // assigning would keep the memory
        begin_ = end_ = 0;
    }
    pollfd wanted{socket_.descriptor(), events, 0};
    if (restHook_ && events == POLLIN && ::poll(&wanted, 1, std::min(kRestMillis, timeoutMillis_)) > 0) return;
    auto rested = Clock::now();
    bool hasRested = !restHook_ || events != POLLIN;
    do {
        if (idleCheck_) idleCheck_();
        if (frames_) pingWhenDue();
        if (!hasRested &&
            (timeoutMillis_ >= kRestMillis || Clock::now() - rested > std::chrono::milliseconds(kRestMillis))) {
            restHook_();
            hasRested = true;
        }
    } while (::poll(&wanted, 1, idleCheck_ ? timeoutMillis_ : -1) <= 0);
}

// Makes room for so many bytes after those in the buffer.
std::string_view Connection::makeRoom(size_t sizeBytes) {
    CHECK(begin_ <= end_ && end_ <= buffer_.size()) << "the unread bytes are within the buffer";
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ + sizeBytes > buffer_.size() && begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ + sizeBytes > buffer_.size()) buffer_.resize(std::max(end_ + sizeBytes, 2 * end_));
    return {buffer_.data() + end_, buffer_.size() - end_};
}

// Takes the bytes that have arrived, without waiting. Done may bring no byte of a message: a control frame.
IoResult Connection::fillOnce() {
    if (hasEnded_) return {IoState::Ended};
    if (!frames_) {
        // Most requests are short: a peer who sends more than fits gets a larger buffer.
        const std::string_view room = makeRoom(wasFull_ ? kBufferBytes : begin_ == end_ ? kSmallBufferBytes : 1);
        const IoResult result = stream().readSome(const_cast<char*>(room.data()), room.size());
        CHECK(result.bytes <= room.size()) << "a stream reads at most the bytes that fit";
        if (result.state == IoState::Done) wasFull_ = result.bytes == room.size();
        end_ += result.bytes;
        receivedBytes_ += static_cast<int64_t>(result.bytes);
        return result;
    }
    // Shared by the connections of the thread: its bytes are decoded at once.
    thread_local std::string raw;
    raw.resize(kBufferBytes);
    const IoResult result = stream().readSome(raw.data(), raw.size());
    if (result.state != IoState::Done) return result;
    receivedBytes_ += static_cast<int64_t>(result.bytes);
    takeFrames(std::string_view(raw).substr(0, result.bytes));
    return result;
}

// Appends the payload of frames to the buffer. The peer is notified of a refused frame.
void Connection::takeFrames(std::string_view bytes) {
    std::string payload;
    try {
        frames_->take(bytes, payload,
                      [this](web_socket::Opcode opcode, std::string_view body) { answerControl(opcode, body); });
    } catch (const web_socket::FrameError& error) {
        closeWebSocket(error.code(), error.what());
        throw;
    }
    const std::string_view room = makeRoom(payload.size());
    std::memcpy(const_cast<char*>(room.data()), payload.data(), payload.size());
    end_ += payload.size();
}

// Reads more bytes after those in the buffer; false at the end of the stream.
bool Connection::fill() {
    const size_t before = end_ - begin_;
    for (;;) {
        const IoResult result = fillOnce();
        if (end_ - begin_ > before) return true;
        if (result.state == IoState::Ended) return false;
        if (result.state != IoState::Done) waitFor(eventsOf(result.state));
    }
}

// Reads at least one byte of a long piece to its place, past the buffer, which is empty.
size_t Connection::readStraight(char* target, size_t sizeBytes) {
    for (;;) {
        const IoResult result = hasEnded_ ? IoResult{IoState::Ended} : stream().readSome(target, sizeBytes);
        receivedBytes_ += static_cast<int64_t>(result.bytes);
        if (result.state == IoState::Done) return result.bytes;
        if (result.state == IoState::Ended) throwClosed();
        waitFor(eventsOf(result.state));
    }
}

void Connection::read(void* target, size_t sizeBytes) {
    char* to = static_cast<char*>(target);
    while (sizeBytes > 0) {
        if (begin_ == end_ && sizeBytes >= kBufferBytes && !frames_) {
            const size_t got = readStraight(to, sizeBytes);
            to += got;
            sizeBytes -= got;
            continue;
        }
        if (begin_ == end_ && !fill()) throwClosed();
        const size_t part = std::min(sizeBytes, end_ - begin_);
        std::memcpy(to, buffer_.data() + begin_, part);
        begin_ += part;
        to += part;
        sizeBytes -= part;
    }
}

void Connection::readUntilZero(std::string& string, size_t limitBytes) {
    string.clear();
    for (;;) {
        if (begin_ == end_ && !fill()) throwClosed();
        const char* from = buffer_.data() + begin_;
        const auto* zero = static_cast<const char*>(std::memchr(from, 0, end_ - begin_));
        const size_t part = zero ? static_cast<size_t>(zero - from) : end_ - begin_;
        if (part > limitBytes - string.size()) {
            throw UserError("A line from " + peerAddress_ + " is longer than " + std::to_string(limitBytes) +
                            " bytes.");
        }
        string.append(from, part);
        begin_ += part + (zero ? 1 : 0);
        if (zero) return;
    }
}

std::string Connection::readLine(size_t limitBytes) {
    std::string line;
    while (line.size() <= limitBytes) {
        if (begin_ == end_ && !fill()) throwClosed();
        const char* from = buffer_.data() + begin_;
        const auto* end = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
        const size_t part = end ? static_cast<size_t>(end - from) : end_ - begin_;
        line.append(from, part);
        begin_ += part + (end ? 1 : 0);
        if (end && line.size() <= limitBytes) return line;
    }
    throw UserError("A line from " + peerAddress_ + " is longer than " + std::to_string(limitBytes) + " bytes.");
}

std::string_view Connection::peek(size_t sizeBytes) {
    while (end_ - begin_ < sizeBytes && fill()) {
    }
    return {buffer_.data() + begin_, end_ - begin_};
}

// Waits for the peer to take all bytes.
void Connection::send(std::string_view bytes) {
    if (cannotWrite_ || hasEnded_) throwClosed();
    auto progress = Clock::now();
    while (!bytes.empty()) {
        const IoResult result = stream().writeSome(bytes.data(), bytes.size());
        switch (result.state) {
            case IoState::Done:
                CHECK(result.bytes <= bytes.size()) << "a stream writes at most the bytes that it gets";
                bytes.remove_prefix(result.bytes);
                progress = Clock::now();
                continue;
            case IoState::Ended:
                cannotWrite_ = true;
                throwClosed();
            case IoState::WouldRead:
            case IoState::WouldWrite:
                break;
        }
        cannotWrite_ = true;  // unless all of it goes: bytes after half a message mean nothing
        const auto isOver = [&] { return !awaitsSlowPeer_ && Clock::now() - progress > kWriteLimit; };
        if (isOver()) throw SystemError(peerAddress_ + " takes nothing of its answer.", "", true);
        pollfd wanted{socket_.descriptor(), eventsOf(result.state), 0};
        do {
            if (idleCheck_) idleCheck_();
            if (isOver()) break;
        } while (::poll(&wanted, 1, kIdleMillis) <= 0);
        cannotWrite_ = false;
    }
}

void Connection::awaitSlowPeer() {
    awaitsSlowPeer_ = true;
    socket_.awaitSlowPeer();
}

void Connection::write(const std::vector<std::string_view>& pieces) {
    const MutexLock lock(writing_);
    size_t size = 0;
    for (const std::string_view piece : pieces) size += piece.size();
    if (frames_) send(web_socket::frameHeader(web_socket::Opcode::Binary, size));
    // Short pieces go together with those before and behind them, since each send is a call of the system.
    std::string together;
    for (const std::string_view piece : pieces) {
        const bool isShort = piece.size() < kShortPieceBytes;
        if (isShort) together += piece;
        if (isShort && together.size() < kBufferBytes) continue;
        send(together);
        together.clear();
        if (!isShort) send(piece);
    }
    send(together);
}

void Connection::write(std::string_view first, std::string_view second) {
    const MutexLock lock(writing_);
    if (frames_) send(web_socket::frameHeader(web_socket::Opcode::Binary, first.size() + second.size()));
    send(first);
    send(second);
}

// Sends a small frame if that needs no wait; false when another message is being sent, or the peer accepts nothing.
bool Connection::trySend(std::string_view bytes) {
    if (!writing_.try_lock()) return false;
    const struct Unlock {
        Mutex& mutex;
        ~Unlock() { mutex.unlock(); }
    } unlock{writing_};
    if (cannotWrite_ || hasEnded_) return false;
    pollfd writable{socket_.descriptor(), POLLOUT, 0};
    if (::poll(&writable, 1, 0) <= 0) return false;
    const IoResult result = stream().writeSome(bytes.data(), bytes.size());
    if (result.state == IoState::Done && result.bytes == bytes.size()) return true;
    // TLS has accepted bytes that it could not send: the next bytes passed to it would be lost.
    cannotWrite_ |= result.state == IoState::Done || isEncrypted();
    return false;
}

void Connection::answerControl(web_socket::Opcode opcode, std::string_view payload) {
    if (opcode == web_socket::Opcode::Ping) trySend(web_socket::controlFrame(web_socket::Opcode::Pong, payload));
    if (opcode != web_socket::Opcode::Close) return;
    trySend(web_socket::controlFrame(web_socket::Opcode::Close, payload.substr(0, 2)));
    hasEnded_ = true;
}

// Proxies close connections that are silent for long; no answer is waited for.
void Connection::pingWhenDue() {
    if (Clock::now() - pinged_ < kPingEvery) return;
    pinged_ = Clock::now();
    trySend(web_socket::controlFrame(web_socket::Opcode::Ping, ""));
}

void Connection::closeWebSocket(web_socket::CloseCode code, std::string_view reason) {
    trySend(web_socket::closeFrame(code, reason));
    hasEnded_ = true;
}

void Connection::beginWebSocket() {
    CHECK(!frames_) << "a connection becomes a WebSocket once";
    frames_ = std::make_unique<web_socket::FrameReader>();
    // Bytes that came with the handshake belong to frames.
    const std::string early = buffer_.substr(begin_, end_ - begin_);
    begin_ = end_ = 0;
    takeFrames(early);
}

void Connection::setMessageLimit(int64_t sizeBytes) {
    if (frames_) frames_->setLimit(sizeBytes);
}

int Connection::arrivedByte() const {
    char first = 0;
    return ::recv(socket_.descriptor(), &first, 1, MSG_PEEK) == 1 ? static_cast<unsigned char>(first) : -1;
}

char Connection::sniff() {
    CHECK(receivedBytes_ == 0) << "the first byte is peeked at before any is read";
    for (;;) {
        char first = 0;
        const ssize_t got = ::recv(socket_.descriptor(), &first, 1, MSG_PEEK);
        if (got == 1) return first;
        if (got == 0) return 0;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            waitFor(POLLIN);
        } else if (errno != EINTR) {
            return 0;
        }
    }
}

void Connection::beginTls(const TlsContext& context, const std::string& host) {
    CHECK(!hasUnread()) << "no byte from before the handshake is taken for one that was encrypted";
    CHECK(!tls_) << "a connection is encrypted once";
    tls_ = std::make_unique<TlsStream>(socket_, context, host);
    stream_ = tls_.get();
    const auto end = Clock::now() + std::chrono::milliseconds(kHandshakeMillis);
    for (;;) {
        const IoResult result = tls_->handshake();
        if (result.state == IoState::Done) return;
        if (result.state == IoState::Ended || Clock::now() > end) {
            throw SystemError("The TLS handshake with " + peerAddress_ + " failed: " + tls_->problem() + ".",
                              "Check that both sides mean TLS, and which certificates they trust.");
        }
        pollfd wanted{socket_.descriptor(), eventsOf(result.state), 0};
        if (idleCheck_) idleCheck_();
        ::poll(&wanted, 1, kIdleMillis);
    }
}

std::string Connection::peerFingerprint() const {
    return tls_ ? tls_->peerFingerprint() : "";
}

void Connection::closeForWriting() {
    stream().closeForWriting();
}

bool Connection::dropArrived() {
    thread_local std::string dropped;
    dropped.resize(kBufferBytes);
    for (int i = 0; i < 64; ++i) {
        try {
            const IoResult result = stream().readSome(dropped.data(), dropped.size());
            if (result.state != IoState::Done) return result.state == IoState::Ended;
        } catch (const SystemError&) {
            return true;
        }
    }
    return false;
}

void Connection::drain(int timeoutMillis) {
    constexpr int64_t kMaxTurns = 16;  // at most 64 buffers each
    const auto end = Clock::now() + std::chrono::milliseconds(timeoutMillis);
    closeForWriting();
    for (int64_t turn = 0; turn < kMaxTurns && !dropArrived();) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
        if (left.count() <= 0) return;
        pollfd wanted{socket_.descriptor(), POLLIN, 0};
        if (::poll(&wanted, 1, static_cast<int>(left.count())) > 0) ++turn;
    }
}

void Connection::drainMessage(int silenceMillis, int timeoutMillis) {
    const auto end = Clock::now() + std::chrono::milliseconds(timeoutMillis);
    closeForWriting();
    while (!dropArrived() && Clock::now() < end) {
        pollfd wanted{socket_.descriptor(), POLLIN, 0};
        if (::poll(&wanted, 1, silenceMillis) <= 0) return;
    }
}

void Connection::shutdown() {
    socket_.shutdown();
}

bool Connection::peerHasLeft() const {
    pollfd state{socket_.descriptor(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool Connection::pollPeer() {
    if (peerHasLeft()) return true;
    if (!frames_ && !isEncrypted()) return false;
    if (frames_) pingWhenDue();
    if (end_ - begin_ >= kBufferBytes) return false;
    try {
        return fillOnce().state == IoState::Ended || hasEnded_;
    } catch (const Error&) {
        return true;
    }
}

std::string Connection::peerHost() const {
    return peerAddress_.substr(0, peerAddress_.rfind(':'));
}

int Connection::peerPort() const {
    const size_t colon = peerAddress_.rfind(':');
    return colon == std::string::npos ? 0 : std::atoi(peerAddress_.c_str() + colon + 1);
}

class Acceptor::Socket {
public:
    boost::asio::io_context context;
    tcp::acceptor acceptor{context};
};

Acceptor::Acceptor(const std::string& host, int port) : socket_(std::make_unique<Socket>()) {
    const std::string address = host + ':' + std::to_string(port);
    try {
        const auto found = tcp::resolver(socket_->context).resolve(host, std::to_string(port), tcp::resolver::passive);
        const tcp::endpoint endpoint = *found.begin();
        tcp::acceptor& acceptor = socket_->acceptor;
        acceptor.open(endpoint.protocol());
        acceptor.set_option(tcp::acceptor::reuse_address(true));
        acceptor.bind(endpoint);
        acceptor.listen(512);
        acceptor.non_blocking(true);
        port_ = acceptor.local_endpoint().port();
    } catch (const boost::system::system_error& error) {
        if (error.code() == boost::asio::error::address_in_use) {
            throw SystemError("Port " + std::to_string(port) + " of " + host + " is in use by another process.",
                              "Give another one, for example --port " + std::to_string(port + 1) + ".");
        }
        throw SystemError("Cannot listen on " + address + ": " + error.code().message() + ".");
    }
}

Acceptor::~Acceptor() = default;

std::unique_ptr<Connection> Acceptor::acceptWith(Acceptor* other, int timeoutMillis) {
    if (!other) return accept(timeoutMillis);
    pollfd wanted[] = {{socket_->acceptor.native_handle(), POLLIN, 0},
                       {other->socket_->acceptor.native_handle(), POLLIN, 0}};
    if (::poll(wanted, 2, timeoutMillis) <= 0) return nullptr;
    return wanted[0].revents != 0 ? accept(0) : other->accept(0);
}

std::unique_ptr<Connection> Acceptor::accept(int timeoutMillis) {
    pollfd wanted{socket_->acceptor.native_handle(), POLLIN, 0};
    if (::poll(&wanted, 1, timeoutMillis) <= 0) return nullptr;
    boost::system::error_code error;
    tcp::socket socket = socket_->acceptor.accept(error);
    if (error) return nullptr;
    return std::make_unique<Connection>(socket.release());
}

}  // namespace pelorus
