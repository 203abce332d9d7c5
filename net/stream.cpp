#include "net/stream.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "common/error.h"

namespace pelorus {
namespace {

[[noreturn]] void failed(const char* what, int error) {
    throw SystemError(std::string(what) + " a connection failed: " + std::strerror(error) + ".", "", true);
}

bool isBroken(int error) {
    return error == ECONNRESET || error == EPIPE || error == ETIMEDOUT || error == ENOTCONN || error == ECONNABORTED;
}

}  // namespace

// Sends small answers at once, and notices within some seconds when the peer's machine is gone.
PlainStream::PlainStream(int descriptor) : descriptor_(descriptor) {
    // A socket that refuses one of these options still works.
    const auto set = [descriptor](int level, int option, int value) {
        ::setsockopt(descriptor, level, option, &value, sizeof value);
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 3);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10000);
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void PlainStream::awaitSlowPeer() {
    const int none = 0;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_USER_TIMEOUT, &none, sizeof none);
}

PlainStream::~PlainStream() {
    ::close(descriptor_);
}

IoResult PlainStream::readSome(char* target, size_t sizeBytes) {
    for (;;) {
        const ssize_t got = ::recv(descriptor_, target, sizeBytes, 0);
        if (got > 0) return {IoState::Done, static_cast<size_t>(got)};
        if (got == 0) return {IoState::Ended};
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::WouldRead};
        if (isBroken(errno)) return {IoState::Ended};
        failed("Reading from", errno);
    }
}

IoResult PlainStream::writeSome(const char* bytes, size_t sizeBytes) {
    for (;;) {
        const ssize_t sent = ::send(descriptor_, bytes, sizeBytes, MSG_NOSIGNAL);
        if (sent >= 0) return {IoState::Done, static_cast<size_t>(sent)};
        if (errno == EINTR) continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::WouldWrite};
        if (isBroken(errno)) return {IoState::Ended};
        failed("Writing to", errno);
    }
}

void PlainStream::closeForWriting() {
    ::shutdown(descriptor_, SHUT_WR);
}

void PlainStream::shutdown() {
    ::shutdown(descriptor_, SHUT_RDWR);
}

}  // namespace pelorus
