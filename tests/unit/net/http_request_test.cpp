#include "net/http_request.h"

#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "net/connection.h"

using namespace pelorus;

namespace {

// A server's connection, and the descriptor of its client.
struct Sockets {
    Sockets() {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
        server = std::make_unique<Connection>(ends[0]);
        client = ends[1];
    }
    ~Sockets() { ::close(client); }
    Sockets(const Sockets&) = delete;
    Sockets& operator=(const Sockets&) = delete;

    void send(std::string_view bytes) const {
        REQUIRE(::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
    }
    void end() const { ::shutdown(client, SHUT_WR); }
    std::optional<HttpRequest> read(int64_t limit = 1000) {
        return readHttpRequest(
            *server, [&](const HttpRequest&) { return limit; }, [&] { ++headers; });
    }

    std::unique_ptr<Connection> server;
    int client = -1;
    int headers = 0;
};

// The status by which a request is refused; 0: it is taken.
int refusal(const std::string& bytes, int64_t limit = 1000) {
    Sockets sockets;
    sockets.send(bytes);
    sockets.end();
    try {
        sockets.read(limit);
    } catch (const HttpError& error) {
        return error.status();
    }
    return 0;
}

}  // namespace

TEST_CASE("requests come one after the other, with bodies of a length or in chunks") {
    Sockets sockets;
    sockets.send(
        "POST /a%20b?x=1 HTTP/1.1\r\nHost: h\r\nCONTENT-Length: 5\r\n\r\nhelloPOST /c HTTP/1.1\r\nTransfer-Encoding: "
        "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET /d HTTP/1.0\r\n\r\n");
    sockets.end();
    const auto first = sockets.read(), second = sockets.read(), third = sockets.read();
    REQUIRE((first && second && third));
    CHECK(first->method == "POST");
    CHECK(first->target == "/a%20b?x=1");
    CHECK(first->path() == "/a b");
    CHECK(first->body == "hello");
    CHECK(first->keepAlive);
    CHECK(first->header("content-length") == "5");
    CHECK(second->body == "abcde");
    CHECK(third->method == "GET");
    CHECK(!third->keepAlive);
    CHECK(third->body.empty());
    CHECK(sockets.headers == 3);
    CHECK(!sockets.read());
}

TEST_CASE("requests that are too long, unknown or no HTTP are refused with their status") {
    CHECK(refusal("GET / HTTP/1.1\r\n\r\n") == 0);
    CHECK(refusal("nonsense\r\n\r\n") == 400);
    CHECK(refusal("GET / HTTP/3.7\r\n\r\n") == 505);
    CHECK(refusal("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n") == 431);
    CHECK(refusal("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n01234567890", 10) == 413);
    CHECK(refusal("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n", 10) == 413);
    CHECK(refusal("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n") == 400);
    CHECK(refusal("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n") == 501);
}

TEST_CASE("a request whose length two readers could see differently is refused") {
    CHECK(refusal("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 400);
    CHECK(refusal("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab") == 400);
    CHECK(refusal("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") != 0);
}

TEST_CASE("headers are found by their names, and words in them in any case") {
    HttpRequest request;
    request.headers = {{"connection", "keep-alive, Upgrade"}, {"connection", "x"}, {"empty", ""}};
    CHECK(request.headerHas("connection", "upgrade"));
    CHECK(request.headerHas("connection", "X"));
    CHECK(!request.headerHas("connection", "keep"));
    CHECK(!request.headerHas("upgrade", "upgrade"));
    CHECK(request.hasHeader("empty"));
    CHECK(!request.hasHeader("Connection"));
    request.target = "/%";
    CHECK(request.path().empty());
    request.target = "/a%00b";
    CHECK(request.path().empty());
    request.target = "http://other/x";
    CHECK(request.path().empty());
    request.target = "/x#part?y";
    CHECK(request.path() == "/x");
}

TEST_CASE("percent signs are decoded, and what follows them must be two digits") {
    std::string decoded;
    CHECK(percentDecode("a%2Bb+c%e4", true, decoded));
    CHECK(decoded == "a+b c\xe4");
    CHECK(percentDecode("a+b", false, decoded));
    CHECK(decoded == "a+b");
    for (const char* string : {"%", "%4", "a%4g", "%%41", "% 1"}) CHECK(!percentDecode(string, false, decoded));
}

TEST_CASE("the head of an answer says its length, also where the body is not sent") {
    HttpResponse response;
    response.body = "text";
    response.headers = {{"X-Own", "1"}};
    CHECK(formatHttpHead(response, false) ==
          "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
          "X-Content-Type-Options: nosniff\r\nX-Own: 1\r\n\r\n");
    HttpResponse none;
    none.status = 204;
    CHECK(formatHttpHead(none, true) ==
          "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\nX-Content-Type-Options: nosniff\r\n\r\n");
    CHECK(httpReason(404) == "Not Found");
}
