#include "streaming/subscription/remote_feed.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "common/error.h"
#include "net/frame.h"
#include "runtime/serialize/value_codec.h"
#include "runtime/stream/stream_log.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> numbers(const std::vector<int32_t>& x) {
    const Ref<Vector> column = Vector::make(Type::Int, static_cast<int64_t>(x.size()));
    std::copy(x.begin(), x.end(), column->mutableData<int32_t>());
    return makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(column)});
}

std::string messageOf(int64_t id, const Value& value) {
    std::string bytes(1, '\x01');
    const int64_t sent = 0;
    bytes.append(reinterpret_cast<const char*>(&sent), sizeof sent)
        .append(reinterpret_cast<const char*>(&id), sizeof id);
    bytes.append("there/feed/a").push_back('\0');
    encodeValue(value, Peer::Client, bytes);
    return bytes;
}

// A publisher that answers each subscriber with the next of its messages, and then ends the connection.
class Publisher {
public:
    using Messages = std::vector<std::pair<int64_t, std::vector<int32_t>>>;  // number of the last row, rows

    explicit Publisher(std::vector<Messages> rounds) : rounds_(std::move(rounds)), thread_([this] { serve(); }) {}
    ~Publisher() { thread_.join(); }
    int port() const { return acceptor_.port(); }
    std::vector<int64_t> offsets;  // that subscribers asked for

private:
    void serve() {
        for (const Messages& messages : rounds_) {
            const auto connection = acceptor_.accept(5000);
            if (!connection) return;
            try {
                while (answer(*connection)) {
                }
                connection->write(messageOf(-1, Value::of(Ref<Table>(numbers({})))));
                for (const auto& [id, rows] : messages)
                    connection->write(
                        messageOf(id, Value::of(makeRef<Tuple>(std::vector<Value>{numbers(rows)->column(0)}))));
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            } catch (const Error&) {
                // The subscriber has left.
            }
        }
    }
    // Answers a request; returns false after the one that subscribes.
    bool answer(Connection& connection) {
        const RequestLine line = parseRequestLine(connection.readLine(kMaxRequestLineBytes));
        std::string text(static_cast<size_t>(line.bodyBytes), '\0');
        connection.read(text.data(), text.size());
        const RequestBody body = parseRequestBody(text);
        std::vector<Value> values;
        for (int i = 0; i < body.valueCount; ++i) values.push_back(decodeValue(connection, Peer::Client));
        const bool subscribes = body.string == "publishTable";
        Value result = Value::ofString("");
        if (subscribes) offsets.push_back(values[4].asLong());
        if (body.string == "getSubscriptionTopic")
            result =
                Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofString("there/feed/a"), Value::ofString("x")}));
        std::string bytes = formatAnswer(1, body.kind != RequestKind::Connect);
        if (body.kind != RequestKind::Connect) encodeValue(result, Peer::Client, bytes);
        connection.write(bytes);
        return !subscribes;
    }

    const std::vector<Messages> rounds_;
    Acceptor acceptor_{"127.0.0.1", 0};
    std::thread thread_;
};

RemoteFeed::Options optionsOf(const Publisher& publisher, bool reconnects) {
    RemoteFeed::Options options;
    options.client.port = publisher.port();
    options.table = "feed";
    options.action = "a";
    options.offset = 5;
    options.reconnects = reconnects;
    return options;
}

void awaitEnd(const RemoteFeed& feed) {
    for (int i = 0; i < 2000 && !feed.state().hasEnded; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(feed.state().hasEnded);
}

}  // namespace

TEST_CASE("rows of another node keep their numbers, go on after a break, and end when the next one is lost") {
    Publisher publisher({{{6, {50, 60}}, {7, {70}}}, {{8, {70, 80}}}, {{3, {30}}}});
    RemoteFeed feed(optionsOf(publisher, true));
    REQUIRE(feed.topic() == "there/feed/a");
    int64_t begun = -1;
    feed.start([&](int64_t row) { begun = row; });
    awaitEnd(feed);
    REQUIRE(begun == 5);
    REQUIRE(feed.rows()->stream->total() == 9);
    REQUIRE(feed.rows()->column(0).at(3).asLong() == 80);
    REQUIRE(feed.state().error.find("lost row 9: it sent row 3") != std::string::npos);
    REQUIRE(feed.state().messages == 3);
    REQUIRE(publisher.offsets == std::vector<int64_t>{5, 7, 8});
}

TEST_CASE("a publisher that was started anew and fed past a subscriber's row is noticed") {
    Publisher publisher({{{6, {50, 60}}}, {{8, {61, 70, 80}}}});
    RemoteFeed feed(optionsOf(publisher, true));
    feed.start([](int64_t) {});
    awaitEnd(feed);
    REQUIRE(feed.rows()->stream->total() == 7);
    REQUIRE(feed.state().error.find("another row 6 than before") != std::string::npos);
}

TEST_CASE("a publisher that has no row but the last one again sends nothing new") {
    Publisher publisher({{{5, {50}}}, {{5, {50}}}, {{6, {50, 60}}}, {{3, {30}}}});
    RemoteFeed feed(optionsOf(publisher, true));
    feed.start([](int64_t) {});
    awaitEnd(feed);
    REQUIRE(feed.rows()->stream->total() == 7);
}

TEST_CASE("without reconnect a feed ends with its connection, and one that is stopped waits for nothing") {
    {
        Publisher publisher({Publisher::Messages{{5, {50}}}});
        RemoteFeed feed(optionsOf(publisher, false));
        feed.start([](int64_t) {});
        awaitEnd(feed);
        REQUIRE(feed.rows()->rowCount() == 1);
    }
    Publisher publisher({Publisher::Messages()});
    RemoteFeed feed(optionsOf(publisher, true));
    feed.start([](int64_t) {});
    feed.stop();
    REQUIRE(feed.rows()->rowCount() == 0);
}

TEST_CASE("a publisher that can't be reached is an error at once") {
    int port = 0;
    {
        const Acceptor closed("127.0.0.1", 0);
        port = closed.port();
    }
    RemoteFeed::Options options;
    options.client.port = port;
    REQUIRE_THROWS_AS(RemoteFeed(options), SystemError);
}
