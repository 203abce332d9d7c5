#include "streaming/publication/publications.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> numbers(int64_t begin, int64_t count) {
    const Ref<Vector> x = Vector::make(Type::Long, count);
    for (int64_t i = 0; i < count; ++i) x->mutableData<int64_t>()[i] = begin + i;
    return makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(x)});
}

// A stream table with its subscribers.
struct Feed {
    Services services;
    Publications all;
    Ref<MemoryTable> table = numbers(0, 0);
    int64_t written = 0;

    Feed() { makeStream(*table); }
    void append(int64_t rows) {
        appendToMemory(*table, *numbers(written, rows));
        written += rows;
    }
    std::shared_ptr<Publication> subscribe(int64_t first, int64_t maxLagRows = INT64_MAX) {
        PublicationOptions options;
        options.table = "feed";
        options.topic = "here/feed/a";
        options.maxLagRows = maxLagRows;
        return all.add(services, table, 4, std::move(options), nullptr, nullptr, first);
    }
};

}  // namespace

TEST_CASE("what a connection offers is found by its request, and a publication that nobody takes ends with it") {
    Feed feed;
    Request request(Principal::owner());
    REQUIRE_FALSE(feed.all.offerOf(request));
    {
        Publications::Offer offer(feed.all, request, {.host = "here", .port = 7, .takesMessages = true});
        REQUIRE(feed.all.offerOf(request) == &offer);
        REQUIRE(offer.client().port == 7);
        offer.take(feed.subscribe(0));
        REQUIRE(feed.all.all().size() == 1);
    }
    REQUIRE_FALSE(feed.all.offerOf(request));
    REQUIRE(feed.all.all().empty());
}

TEST_CASE("a publication whose subscriber has left can be closed for a table that shall go") {
    Feed feed;
    const auto gone = feed.subscribe(0), here = feed.subscribe(0);
    gone->attach([] {}, [] { return true; });
    here->attach([] {}, [] { return false; });
    feed.all.closeLeft(*feed.table);
    REQUIRE(gone->isClosed());
    REQUIRE_FALSE(here->isClosed());
    feed.all.stop();
    REQUIRE(here->isClosed());
    REQUIRE_THROWS_AS(feed.subscribe(0), UserError);
}
