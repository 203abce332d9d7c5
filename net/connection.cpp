#include "net/connection.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstring>

#include "common/error.h"

namespace pelorus {
namespace {

using boost::asio::ip::tcp;

constexpr size_t kBufferBytes = 64 * 1024;
constexpr int kIdleMillis = 100;

std::string addressText(const tcp::endpoint& endpoint) {
    return endpoint.address().to_string() + ':' + std::to_string(endpoint.port());
}

// Sends small answers at once, and notices within some seconds when the peer's machine is gone.
void configure(tcp::socket& socket) {
    // A socket that refuses one of these works all the same.
    boost::system::error_code ignored;
    static_cast<void>(socket.set_option(tcp::no_delay(true), ignored));
    static_cast<void>(socket.set_option(tcp::socket::keep_alive(true), ignored));
    const int fd = socket.native_handle();
    const auto set = [fd](int option, int value) { ::setsockopt(fd, IPPROTO_TCP, option, &value, sizeof value); };
    set(TCP_KEEPIDLE, 3);
    set(TCP_KEEPINTVL, 1);
    set(TCP_KEEPCNT, 3);
    set(TCP_USER_TIMEOUT, 10000);
    static_cast<void>(socket.non_blocking(true, ignored));
}

[[noreturn]] void unreachable(const std::string& address, const std::string& reason) {
    throw SystemError("Cannot connect to " + address + ": " + reason + ".",
                      "Check that a Pelorus server runs there and that the address is right.", true);
}

}  // namespace

class Connection::Socket {
public:
    boost::asio::io_context context;
    tcp::socket socket{context};
};

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
    if (error) unreachable(address, error.message());
    return std::make_unique<Connection>(socket.release());
}

Connection::Connection(int descriptor) : socket_(std::make_unique<Socket>()), buffer_(kBufferBytes, '\0') {
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size);
    socket_->socket.assign(name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), descriptor);
    configure(socket_->socket);
    boost::system::error_code error;
    const tcp::endpoint peer = socket_->socket.remote_endpoint(error);
    peerAddress_ = error ? "a client that has left" : addressText(peer);
}

Connection::~Connection() = default;

void Connection::waitFor(short events) {
    pollfd wanted{socket_->socket.native_handle(), events, 0};
    do {
        if (idleCheck_) idleCheck_();
    } while (::poll(&wanted, 1, idleCheck_ ? kIdleMillis : -1) <= 0);
}

// More bytes behind those in the buffer; false at the end of the stream.
bool Connection::fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == buffer_.size()) {
        if (begin_ == 0) buffer_.resize(2 * buffer_.size());
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    for (;;) {
        boost::system::error_code error;
        const size_t got =
            socket_->socket.read_some(boost::asio::buffer(buffer_.data() + end_, buffer_.size() - end_), error);
        if (got > 0) {
            end_ += got;
            receivedBytes_ += static_cast<int64_t>(got);
            return true;
        }
        if (error == boost::asio::error::eof || error == boost::asio::error::connection_reset) return false;
        if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
            waitFor(POLLIN);
        } else if (error != boost::asio::error::interrupted) {
            throw SystemError("Reading from " + peerAddress_ + " failed: " + error.message() + ".", "", true);
        }
    }
}

void Connection::read(void* target, size_t sizeBytes) {
    char* to = static_cast<char*>(target);
    while (sizeBytes > 0) {
        if (begin_ == end_ && !fill()) throw SystemError(peerAddress_ + " closed the connection.", "", true);
        const size_t part = std::min(sizeBytes, end_ - begin_);
        std::memcpy(to, buffer_.data() + begin_, part);
        begin_ += part;
        to += part;
        sizeBytes -= part;
    }
}

void Connection::readUntilZero(std::string& text, size_t limitBytes) {
    text.clear();
    for (;;) {
        if (begin_ == end_ && !fill()) throw SystemError(peerAddress_ + " closed the connection.", "", true);
        const char* from = buffer_.data() + begin_;
        const auto* zero = static_cast<const char*>(std::memchr(from, 0, end_ - begin_));
        const size_t part = zero ? static_cast<size_t>(zero - from) : end_ - begin_;
        if (part > limitBytes - text.size()) {
            throw UserError("A text from " + peerAddress_ + " is longer than " + std::to_string(limitBytes) +
                            " bytes.");
        }
        text.append(from, part);
        begin_ += part + (zero ? 1 : 0);
        if (zero) return;
    }
}

std::string Connection::readLine(size_t limitBytes) {
    std::string line;
    while (line.size() <= limitBytes) {
        if (begin_ == end_ && !fill()) throw SystemError(peerAddress_ + " closed the connection.", "", true);
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

void Connection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_->socket.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<size_t>(sent));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            waitFor(POLLOUT);
        } else if (errno != EINTR) {
            throw SystemError("Writing to " + peerAddress_ + " failed: " + std::strerror(errno) + ".", "", true);
        }
    }
}

void Connection::closeForWriting() {
    ::shutdown(socket_->socket.native_handle(), SHUT_WR);
}

bool Connection::dropArrived() {
    for (int i = 0; i < 64; ++i) {
        const ssize_t got =
            ::recv(socket_->socket.native_handle(), buffer_.data(), buffer_.size(), MSG_DONTWAIT | MSG_TRUNC);
        if (got > 0) continue;
        return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    }
    return false;
}

void Connection::drain(int timeoutMillis) {
    constexpr int64_t kMostTurns = 16;  // of at most 64 buffers
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMillis);
    closeForWriting();
    for (int64_t turn = 0; turn < kMostTurns && !dropArrived();) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) return;
        pollfd wanted{socket_->socket.native_handle(), POLLIN, 0};
        if (::poll(&wanted, 1, static_cast<int>(left.count())) > 0) ++turn;
    }
}

void Connection::shutdown() {
    ::shutdown(socket_->socket.native_handle(), SHUT_RDWR);
}

bool Connection::peerHasLeft() const {
    pollfd state{socket_->socket.native_handle(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
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

std::unique_ptr<Connection> Acceptor::accept(int timeoutMillis) {
    pollfd wanted{socket_->acceptor.native_handle(), POLLIN, 0};
    if (::poll(&wanted, 1, timeoutMillis) <= 0) return nullptr;
    boost::system::error_code error;
    tcp::socket socket = socket_->acceptor.accept(error);
    if (error) return nullptr;
    return std::make_unique<Connection>(socket.release());
}

}  // namespace pelorus
