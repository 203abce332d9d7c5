#include "runtime/stream/stream_log.h"

#include <catch2/catch.hpp>

namespace pelorus {

namespace {

struct Reader final : StreamListener {
    void rowsCame() override { ++calls; }
    int64_t position() const override { return at; }
    std::string describe() const override { return "reader"; }
    std::thread::id runner() const override { return {}; }
    int calls = 0;
    int64_t at = 0;
};

}  // namespace

TEST_CASE("rows keep their numbers when the oldest are purged, and appends their ends") {
    StreamLog log;
    log.appended(3);
    log.appended(0);
    log.appended(2);
    REQUIRE(log.endOfAppend(0) == 3);
    REQUIRE(log.endOfAppend(3) == 5);
    log.purged(4);
    REQUIRE(log.first() == 4);
    REQUIRE(log.total() == 5);
    REQUIRE(log.endOfAppend(4) == 5);
}

TEST_CASE("readers are told of rows until they are forgotten or gone") {
    StreamLog log;
    const auto reader = std::make_shared<Reader>();
    log.listen(reader);
    log.listen(std::make_shared<Reader>());
    log.appended(3);
    log.wake();
    REQUIRE(reader->calls == 1);
    REQUIRE(log.oldestNeeded() == 0);
    reader->at = 2;
    REQUIRE(log.oldestNeeded() == 2);
    log.forget(*reader);
    log.wake();
    REQUIRE(reader->calls == 1);
    REQUIRE_FALSE(log.hasListeners());
    REQUIRE(log.oldestNeeded() == 3);
}

}  // namespace pelorus
