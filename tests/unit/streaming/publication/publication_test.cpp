#include "streaming/publication/publication.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <thread>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_log.h"
#include "streaming/publication/publications.h"
#include "tests/unit/streaming/publication/published_feed.h"

using namespace pelorus;

namespace {

int64_t idOf(const Publication::Message& message) {
    int64_t id = 0;
    std::memcpy(&id, message.head.data() + 9, sizeof id);
    return id;
}

}  // namespace

TEST_CASE("a message has the topic, the number of its last row and the rows; the first one has none") {
    Feed feed;
    feed.append(3);
    const auto publication = feed.subscribe(1);
    const Publication::Message schema = publication->schemaMessage();
    REQUIRE(idOf(schema) == -1);
    REQUIRE(schema.head[0] == 1);
    REQUIRE(schema.head.substr(17) == std::string("here/feed/a") + '\0');
    REQUIRE(schema.body->bytes.substr(0, 2) == std::string("\x00\x06", 2));
    const auto message = publication->nextMessage();
    REQUIRE(idOf(*message) == 2);
    // A tuple of one vector of the longs 1 and 2.
    const std::string expected(
        "\x19\x01\x01\0\0\0\x01\0\0\0\x05\x01\x02\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", 36);
    REQUIRE(message->body->bytes == expected);
}

TEST_CASE("subscribers share what is encoded, and rows come in order without gaps") {
    Feed feed;
    feed.append(10);
    const auto first = feed.subscribe(0), second = feed.subscribe(0);
    for (const int64_t id : {3, 7, 9}) {
        const auto a = first->nextMessage(), b = second->nextMessage();
        REQUIRE(idOf(*a) == id);
        REQUIRE(a->body == b->body);
    }
    REQUIRE(first->waitingRows() == 0);
    feed.append(1);
    REQUIRE(idOf(*first->nextMessage()) == 10);
    REQUIRE(second->waitingRows() == 1);
}

TEST_CASE("whoever waits for rows gets them, and goes on when the publication is closed") {
    Feed feed;
    const auto publication = feed.subscribe(0);
    std::vector<int64_t> ids;
    std::thread taker([&] {
        while (const auto message = publication->nextMessage()) ids.push_back(idOf(*message));
    });
    feed.append(2);
    while (publication->waitingRows() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    int closed = 0;
    publication->attach([&] { ++closed; }, [] { return false; });
    feed.all.remove(publication);
    taker.join();
    REQUIRE(ids == std::vector<int64_t>{1});
    REQUIRE(closed == 1);
    REQUIRE_FALSE(feed.table->stream->hasListeners());
    REQUIRE(feed.all.all().empty());
}

TEST_CASE("a subscriber that lags too far behind a bounded table is cut off, and appends go on") {
    Feed feed;
    feed.table->stream->setBounds({.rows = 1000});
    const auto slow = feed.subscribe(0, 5);
    feed.append(5);
    REQUIRE_FALSE(slow->isClosed());
    feed.append(1);
    REQUIRE(slow->isClosed());
    REQUIRE_FALSE(slow->nextMessage().has_value());
    REQUIRE_FALSE(feed.table->stream->hasListeners());
    // A table that keeps all rows anyway waits for everybody.
    Feed whole;
    const auto late = whole.subscribe(0, 5);
    whole.append(100);
    REQUIRE_FALSE(late->isClosed());
}
