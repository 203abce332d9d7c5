// TcpRelay forwards TCP connections in both directions, and loses requests or answers on demand.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "common/error.h"

namespace pelorus::testing {

class TcpRelay {
public:
    enum class Loss {
        Answer,      // the connection breaks when the answer comes
        Request,     // the connection breaks before the request is passed on
        AnswerHeld,  // the answer never comes, and the connection stays open
    };

    TcpRelay() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof(address);
        if (::bind(listener_, as(address), size) != 0 || ::listen(listener_, 64) != 0 ||
            ::getsockname(listener_, as(address), &size) != 0) {
            throw SystemError("The relay has no port.");
        }
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { acceptLoop(); });
    }
    ~TcpRelay() {
        stopping_ = true;
        acceptor_.join();
        for (std::thread& connection : connections_) connection.join();
        ::close(listener_);
    }
    TcpRelay(const TcpRelay&) = delete;
    TcpRelay& operator=(const TcpRelay&) = delete;

    int port() const { return port_; }
    // Forwards new connections to a port; 0: refuses them.
    void forwardTo(int port) { target_ = port; }
    // Applies the loss to the next `count` requests that contain the word. `meanwhile` runs before an answer is lost,
    // when the request has been executed.
    void lose(Loss loss, const std::string& word, int count, std::function<void()> meanwhile = {}) {
        const std::lock_guard guard(mutex_);
        loss_ = loss;
        word_ = word;
        toLose_ = count;
        meanwhile_ = std::move(meanwhile);
    }
    int lost() const { return lost_; }

private:
    static constexpr int kPollMillis = 20;

    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<uint16_t>(port));
        return address;
    }
    static sockaddr* as(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

    void acceptLoop() {
        while (!stopping_) {
            pollfd ready{listener_, POLLIN, 0};
            if (::poll(&ready, 1, kPollMillis) <= 0) continue;
            const int asking = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (asking >= 0) connections_.emplace_back([this, asking] { serve(asking); });
        }
    }

    void serve(int asking) {
        const int answering = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopback(target_);
        if (target_ != 0 && ::connect(answering, as(address), sizeof(address)) == 0) passOn(asking, answering);
        ::close(asking);
        ::close(answering);
    }

    // Forwards bytes until one end closes, or the connection must break.
    void passOn(int asking, int answering) {
        std::string asked;  // since the last answer
        for (bool isHeld = false; !stopping_;) {
            std::array<pollfd, 2> ready{pollfd{asking, POLLIN, 0}, pollfd{answering, POLLIN, 0}};
            if (::poll(ready.data(), ready.size(), kPollMillis) <= 0) continue;
            std::string piece;
            if (ready[0].revents != 0) {
                if (!take(asking, piece)) return;
                asked += piece;
                if (isToBeLost(asked, Loss::Request)) return;
                if (!give(answering, piece)) return;
            }
            if (ready[1].revents != 0) {
                if (!take(answering, piece)) return;
                isHeld = isHeld || isToBeLost(asked, Loss::AnswerHeld);
                if (isToBeLost(asked, Loss::Answer)) return;
                if (!isHeld && !give(asking, piece)) return;
                asked.clear();
            }
        }
    }

    // Returns whether the loss applies now, and counts it.
    bool isToBeLost(const std::string& asked, Loss loss) {
        std::function<void()> meanwhile;
        {
            const std::lock_guard guard(mutex_);
            if (toLose_ == 0 || loss != loss_ || asked.find(word_) == std::string::npos) return false;
            --toLose_;
            meanwhile = meanwhile_;
        }
        if (meanwhile) meanwhile();
        ++lost_;
        return true;
    }

    static bool take(int socket, std::string& piece) {
        std::array<char, 65536> bytes{};
        const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (got <= 0) return false;
        piece.assign(bytes.data(), static_cast<size_t>(got));
        return true;
    }
    static bool give(int socket, std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t given = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (given <= 0) return false;
            bytes.remove_prefix(static_cast<size_t>(given));
        }
        return true;
    }

    const int listener_;
    int port_ = 0;
    std::atomic<int> target_{0}, lost_{0};
    std::atomic<bool> stopping_{false};
    std::mutex mutex_;
    Loss loss_ = Loss::Answer;
    std::string word_;
    int toLose_ = 0;
    std::function<void()> meanwhile_;
    std::list<std::thread> connections_;  // used by the accepting thread until it ends
    std::thread acceptor_;
};

}  // namespace pelorus::testing
