#include "net/http_client.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <limits>

#include "common/check.h"
#include "common/error.h"

namespace pelorus {
namespace {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

// Feeds arriving bytes to the parser, until `done` returns true; `arrived` is called for each piece.
template <class Done, class Arrived>
void parseUntil(Connection& connection, http::response_parser<http::string_body>& parser, const Done& done,
                const Arrived& arrived) {
    while (!done()) {
        const std::string_view bytes = connection.peekSome();
        arrived();
        boost::system::error_code error;
        if (bytes.empty()) {
            if (parser.got_some()) parser.put_eof(error);
            if (!done()) throw SystemError(connection.peerAddress() + " closed the connection.", "", true);
            return;
        }
        const size_t used = parser.put(boost::asio::buffer(bytes), error);
        if (error == http::error::need_more) {
            if (used == 0) {
                // A token is split over two reads: wait for more bytes.
                if (connection.peek(bytes.size() + 1).size() == bytes.size()) {
                    throw SystemError(connection.peerAddress() + " closed the connection.", "", true);
                }
            }
        } else if (error) {
            throw SystemError(connection.peerAddress() + " does not speak HTTP: " + error.message() + ".");
        }
        connection.skip(used);
    }
}

}  // namespace

HttpClient::HttpClient(std::string host, int port, int timeoutMillis, int connectTimeoutMillis)
    : host_(std::move(host)),
      timeoutMillis_(timeoutMillis),
      connection_(Connection::open(host_, port, connectTimeoutMillis > 0 ? connectTimeoutMillis : timeoutMillis)) {}

HttpClient::~HttpClient() = default;

void HttpClient::send(std::string_view path, std::string_view body) {
    deadline_ = Clock::now() + std::chrono::milliseconds(timeoutMillis_);
    connection_->setIdleCheck([this] {
        if (Clock::now() < deadline_) return;
        throw SystemError(connection_->peerAddress() + " does not answer.", "", true);
    });
    std::string request = "POST " + std::string(path) + " HTTP/1.1\r\nHost: " + host_ +
                          "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                          "\r\n" + authorization_ + "\r\n";
    request += body;
    connection_->write(request);
}

void HttpClient::authorize(std::string_view authorization) {
    CHECK(authorization.find_first_of("\r\n") == std::string_view::npos) << "a header is one line";
    authorization_ = "Authorization: " + std::string(authorization) + "\r\n";
}

HttpAnswer HttpClient::post(std::string_view path, std::string_view body) {
    send(path, body);
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::numeric_limits<uint64_t>::max());
    parser.eager(true);
    // A long answer may take any time: only silence counts.
    parseUntil(
        *connection_, parser, [&] { return parser.is_done(); },
        [this] { deadline_ = Clock::now() + std::chrono::milliseconds(timeoutMillis_); });
    HttpAnswer answer;
    answer.status = static_cast<int>(parser.get().result_int());
    answer.body = std::move(parser.get().body());
    return answer;
}

void HttpClient::postStream(std::string_view path, std::string_view body,
                            const std::function<bool(std::string_view)>& onLine, std::function<void()> onIdle) {
    send(path, body);
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::numeric_limits<uint64_t>::max());
    parser.eager(true);
    bool wanted = true;
    const auto takeLines = [&] {
        if (!parser.is_header_done()) return false;
        connection_->setIdleCheck(onIdle);
        std::string& received = parser.get().body();
        for (size_t end; wanted && (end = received.find('\n')) != std::string::npos;) {
            wanted = onLine(std::string_view(received).substr(0, end));
            received.erase(0, end + 1);
        }
        return !wanted || parser.is_done();
    };
    parseUntil(*connection_, parser, takeLines, [] {});
}

}  // namespace pelorus
