#include "devtools/lsp/message_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>

#include "common/error.h"

namespace pelorus {

namespace {

constexpr size_t kMaxHeaderBytes = 16 << 10;
constexpr size_t kMaxMessageBytes = 64 << 20;

// The value of Content-Length; nothing when the header has none that is a number.
std::optional<size_t> contentLength(std::string_view header) {
    constexpr std::string_view kName = "content-length:";
    while (!header.empty()) {
        std::string_view line = header.substr(0, header.find("\r\n"));
        header.remove_prefix(std::min(line.size() + 2, header.size()));
        if (line.size() < kName.size()) continue;
        const bool isLength = std::equal(kName.begin(), kName.end(), line.begin(), [](char a, char b) {
            return a == std::tolower(static_cast<unsigned char>(b));
        });
        if (!isLength) continue;
        line.remove_prefix(kName.size());
        while (line.starts_with(' ')) line.remove_prefix(1);
        size_t length = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
        if (error != std::errc() || end == line.data()) return std::nullopt;
        return length;
    }
    return std::nullopt;
}

}  // namespace

bool MessageStream::receive(int timeoutMillis) {
    int wait = timeoutMillis;
    for (;;) {
        pollfd poll{input_, POLLIN, 0};
        const int ready = ::poll(&poll, 1, wait);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return true;
        std::array<char, 1 << 16> piece;
        const ssize_t count = ::read(input_, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        buffer_.append(piece.data(), static_cast<size_t>(count));
        if (!split()) return false;
        wait = 0;
    }
}

// Moves whole messages out of the buffer.
bool MessageStream::split() {
    constexpr std::string_view kEnd = "\r\n\r\n";
    size_t done = 0;
    for (;;) {
        const std::string_view rest = std::string_view(buffer_).substr(done);
        const size_t headerEnd = rest.substr(0, kMaxHeaderBytes).find(kEnd);
        if (headerEnd == std::string_view::npos) {
            if (rest.size() >= kMaxHeaderBytes) return false;
            break;
        }
        const std::optional<size_t> length = contentLength(rest.substr(0, headerEnd));
        if (!length || *length > kMaxMessageBytes) return false;
        const size_t begin = headerEnd + kEnd.size();
        if (rest.size() - begin < *length) break;
        messages_.emplace_back(rest.substr(begin, *length));
        if (watcher_) watcher_(messages_.back());
        done += begin + *length;
    }
    buffer_.erase(0, done);
    return true;
}

std::optional<std::string> MessageStream::next() {
    if (messages_.empty()) return std::nullopt;
    std::string message = std::move(messages_.front());
    messages_.pop_front();
    return message;
}

void MessageStream::send(std::string_view message) {
    const std::string framed = fmt::format("Content-Length: {}\r\n\r\n{}", message.size(), message);
    const MutexLock lock(sending_);
    for (size_t sent = 0; sent < framed.size();) {
        const ssize_t count = ::write(output_, framed.data() + sent, framed.size() - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throw SystemError("The editor does not read any more.");
        sent += static_cast<size_t>(count);
    }
}

}  // namespace pelorus
