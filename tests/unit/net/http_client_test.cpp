#include "net/http_client.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "net/connection.h"

using namespace pelorus;

namespace {

// A server that reads one request and answers with these bytes, piece by piece, then closes the connection.
class OneAnswer {
public:
    explicit OneAnswer(std::vector<std::string> pieces) : pieces_(std::move(pieces)), thread_([this] { serve(); }) {}
    ~OneAnswer() { thread_.join(); }
    OneAnswer(const OneAnswer&) = delete;
    OneAnswer& operator=(const OneAnswer&) = delete;
    int port() const { return acceptor_.port(); }
    std::string asked;  // once the answer has come

private:
    void serve() {
        try {
            const auto connection = acceptor_.accept(5000);
            if (!connection) return;
            while (asked.find("\r\n\r\n") == std::string::npos) {
                const std::string_view bytes = connection->peekSome();
                if (bytes.empty()) return;
                asked += bytes;
                connection->skip(bytes.size());
            }
            for (const std::string& piece : pieces_) {
                connection->write(piece);
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        } catch (const std::exception&) {
            // The client has left.
        }
    }

    Acceptor acceptor_{"127.0.0.1", 0};
    const std::vector<std::string> pieces_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("an answer comes whole, whatever its pieces are") {
    OneAnswer server({"HTTP/1.1 20", "1 Created\r\nContent-Len", "gth: 4\r\n\r\n{", "\"a\"}"});
    HttpClient client("127.0.0.1", server.port(), 5000);
    const HttpAnswer answer = client.post("/v3/kv/put", "{}");
    CHECK(answer.status == 201);
    CHECK(answer.body == "{\"a\"");
    CHECK(server.asked.starts_with("POST /v3/kv/put HTTP/1.1\r\nHost: 127.0.0.1\r\n"));
    CHECK(server.asked.find("Content-Length: 2\r\n") != std::string::npos);
}

TEST_CASE("a stream is passed on line by line until its reader has enough") {
    const std::vector<std::string> pieces = {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                                             "6\r\none\ntw\r\n", "8\r\no\nthree\n\r\n", "0\r\n\r\n"};
    std::vector<std::string> lines;
    {
        OneAnswer server(pieces);
        HttpClient client("127.0.0.1", server.port(), 5000);
        client.postStream("/watch", "{}", [&](std::string_view line) {
            lines.emplace_back(line);
            return true;
        });
    }
    CHECK(lines == std::vector<std::string>{"one", "two", "three"});
    lines.clear();
    OneAnswer server(pieces);
    HttpClient client("127.0.0.1", server.port(), 5000);
    client.postStream("/watch", "{}", [&](std::string_view line) {
        lines.emplace_back(line);
        return line != "two";
    });
    CHECK(lines == std::vector<std::string>{"one", "two"});
}

TEST_CASE("a server that breaks off, is silent, or speaks something else is an error with its address") {
    const auto refusal = [](std::vector<std::string> pieces, int timeoutMillis = 5000) -> std::string {
        OneAnswer server(std::move(pieces));
        HttpClient client("127.0.0.1", server.port(), timeoutMillis);
        try {
            client.post("/", "");
        } catch (const SystemError& error) {
            return error.what();
        }
        return "it answered";
    };
    CHECK(refusal({}).ends_with(" closed the connection."));
    CHECK(refusal({"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"}).ends_with(" closed the connection."));
    CHECK(refusal({"SSH-2.0-x\r\n\r\n"}).find(" does not speak HTTP: ") != std::string::npos);
    CHECK(refusal({}).starts_with("127.0.0.1"));
    int port = 0;
    { port = Acceptor("127.0.0.1", 0).port(); }
    CHECK_THROWS_AS(HttpClient("127.0.0.1", port, 1000), SystemError);
}
