#include "server/connection/stream_push.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

#include "common/error.h"
#include "net/connection.h"
#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_log.h"
#include "streaming/publication/publications.h"

using namespace pelorus;

namespace {

// A subscriber of a stream table, on the two ends of a connection of this process.
struct Subscribed {
    Services services;
    Publications all;
    Ref<MemoryTable> table =
        makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(Vector::make(Type::Int, 0))});
    std::shared_ptr<Publication> publication;
    Acceptor acceptor{"127.0.0.1", 0};
    std::unique_ptr<Connection> client = Connection::open("127.0.0.1", acceptor.port(), 5000);
    std::unique_ptr<Connection> server = acceptor.accept(5000);
    StreamPush push{*server};
    std::thread thread;

    Subscribed() {
        makeStream(*table);
        PublicationOptions options;
        options.table = "feed";
        options.topic = "here/feed/a";
        publication = all.add(services, table, 1024, std::move(options), nullptr, nullptr, 0);
        thread = std::thread([this] { push.serve(all, publication); });
    }
    ~Subscribed() {
        push.stop();
        thread.join();
    }
    void append(int32_t number) {
        appendToMemory(*table, *makeRef<MemoryTable>(
                                   std::vector<std::string>{"x"},
                                   std::vector<Value>{Value::of(Vector::filled(Type::Int, 1, Value::ofInt(number)))}));
    }
    // Returns the number in a message's head.
    int64_t readId() {
        char head[17];
        client->read(head, sizeof head);
        std::string topic;
        client->readUntilZero(topic, 100);
        int64_t id = 0;
        std::memcpy(&id, head + 9, sizeof id);
        return id;
    }
};

}  // namespace

TEST_CASE("a subscriber gets the columns, then rows as they come, until it is stopped") {
    Subscribed subscribed;
    REQUIRE(subscribed.readId() == -1);
    char schema[23];  // a table without rows of the INT column x
    subscribed.client->read(schema, sizeof schema);
    subscribed.append(7);
    REQUIRE(subscribed.readId() == 0);
    char row[24];  // a tuple of a vector
    subscribed.client->read(row, sizeof row);
    REQUIRE(row[20] == 7);
    subscribed.push.stop();
    REQUIRE_THROWS_AS(subscribed.readId(), SystemError);
    REQUIRE(subscribed.publication->isClosed());
}

TEST_CASE("a subscriber that has left is forgotten while nothing is sent") {
    Subscribed subscribed;
    REQUIRE(subscribed.readId() == -1);
    subscribed.client->shutdown();
    for (int i = 0; i < 500 && !subscribed.publication->isClosed(); ++i) {
        subscribed.push.tend();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(subscribed.publication->isClosed());
    REQUIRE_FALSE(subscribed.table->stream->hasListeners());
}
